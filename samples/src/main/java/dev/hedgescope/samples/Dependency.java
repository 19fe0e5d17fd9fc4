package dev.hedgescope.samples;

import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeListener;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeStats;
import dev.hedgescope.Hedger;
import dev.hedgescope.Limiter;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Something that calls go to: one purse and one gate for it, in the warm-up and afterwards; what was counted of it. */
final class Dependency {

    private static final int PERMITS = 64;

    private final String name;
    private final HedgePolicy policy;
    private final HedgeBudget budget = HedgeBudget.ofExtraLoad(0.10);
    private final Limiter limiter = Limiter.fixed(PERMITS);

    Dependency(String name, HedgePolicy policy) {
        this.name = name;
        this.policy = policy;
    }

    /** {@return a hedger whose counters are at zero, and whose high-water marks are watched} */
    Watched open() {
        return new Watched();
    }

    /** A hedger, and the most that was seen of its gauges. */
    final class Watched implements AutoCloseable {

        private final AtomicInteger mostPermits = new AtomicInteger();
        private final AtomicInteger mostStragglers = new AtomicInteger();
        private final Latencies latencies = new Latencies();

        final Hedger hedger = Hedger.builder(name)
                .policy(policy)
                .budget(budget)
                .limiter(limiter)
                .listener(new HedgeListener() {
                    @Override
                    public void onAttemptStarted(AttemptStarted event) {
                        // the attempt holds its permit by now, so that no maximum is missed
                        mostPermits.accumulateAndGet(limiter.inUse(), Math::max);
                    }
                })
                .build();

        void answered(long intendedStart) {
            latencies.add(System.nanoTime() - intendedStart);
        }

        void sample() {
            mostStragglers.accumulateAndGet(hedger.stragglers().size(), Math::max);
        }

        /** {@return the figures, once the last loser has left} */
        Figures figures() throws IllegalStateException {
            if (!hedger.awaitQuiet(Duration.ofSeconds(5))) {
                throw new IllegalStateException("losers that do not stop: " + hedger.stragglers());
            }
            return new Figures(latencies, hedger.stats(), mostPermits.get(), mostStragglers.get());
        }

        @Override
        public void close() {
            hedger.close();
        }
    }

    /**
     * What one arm has shown of one dependency.
     *
     * @param latencies of the calls that were answered, from their intended start
     * @param stats what the hedger counted, at rest
     * @param mostPermits the most permits that were held at once
     * @param mostStragglers the most losers seen at once that had been told to stop and had not left
     */
    record Figures(Latencies latencies, HedgeStats stats, int mostPermits, int mostStragglers) {}
}
