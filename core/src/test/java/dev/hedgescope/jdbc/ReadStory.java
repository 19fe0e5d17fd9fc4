package dev.hedgescope.jdbc;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.Hedger;
import dev.hedgescope.Limiter;
import dev.hedgescope.Replicas;
import dev.hedgescope.laws.Laws;
import dev.hedgescope.laws.Ledger;
import dev.hedgescope.testing.Simulation;
import dev.hedgescope.testing.SimulationOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Hedged reads over two fake databases: reads go to {@code a} first, and hedge to {@code b} after 20 ms. */
final class ReadStory {

    final Simulation sim;
    final Ledger ledger;
    final FakeDatabase a;
    final FakeDatabase b;
    final Limiter limiter;
    final List<Hedger> hedgers = new ArrayList<>();

    private ReadStory(Simulation sim, Ledger ledger) {
        this.sim = sim;
        this.ledger = ledger;
        this.a = new FakeDatabase(sim, sim.runtime(), "a");
        this.b = new FakeDatabase(sim, sim.runtime(), "b");
        this.limiter = Limiter.fixed(8, sim.runtime());
    }

    /** What a test does. */
    @FunctionalInterface
    interface Body {

        void run(ReadStory story) throws Exception;
    }

    /** Runs the story once, without preemption. */
    static void told(Body body) {
        Laws.run(Simulation.options().orderly(), 0, checked(body));
    }

    /** Runs the story in so many orders. */
    static void toldInManyOrders(SimulationOptions options, int seeds, Body body) {
        Laws.runAll(options, 1, seeds, checked(body));
    }

    /** At the end every connection is back, in good order, and nothing ran that should not. */
    private static Laws.Body checked(Body body) {
        return (sim, ledger) -> {
            ReadStory story = new ReadStory(sim, ledger);
            body.run(story);
            ledger.settle();
            for (FakeDatabase db : List.of(story.a, story.b)) {
                assertThat(db.innocentsHit)
                        .as("innocent statements hit on " + db.name)
                        .isZero();
                assertThat(db.violations).as("violations on " + db.name).isEmpty();
                assertThat(db.lent)
                        .as("connections of %s not returned", db.name)
                        .isZero();
                assertThat(db.created - db.evicted).isEqualTo(db.idle());
            }
        };
    }

    /** {@return reads whose policy differs from the usual one as said} */
    HedgedReads reads(UnaryOperator<HedgePolicy.Builder> change) {
        return HedgedReads.over(hedger(change), replicas());
    }

    Hedger hedger(UnaryOperator<HedgePolicy.Builder> change) {
        HedgePolicy.Builder usual = HedgePolicy.builder().delay(HedgeDelay.fixed(ofMillis(20)));
        Hedger hedger = ledger.watch(ledger.hedger("reads")
                .policy(change.apply(usual).build())
                .limiter(ledger.limiter(limiter))
                .build());
        hedgers.add(hedger);
        return hedger;
    }

    Replicas<javax.sql.DataSource> replicas() {
        return Replicas.of(List.of(a.replica(), b.replica()), new FirstThingsFirst(sim.runtime()));
    }

    /** A runtime without chance: the rotation begins with the first replica. */
    private record FirstThingsFirst(HedgeRuntime base) implements HedgeRuntime {

        @Override
        public long nanoTime() {
            return base.nanoTime();
        }

        @Override
        public Thread start(String name, Runnable body) {
            return base.start(name, body);
        }

        @Override
        public void park(long nanos) {
            base.park(nanos);
        }

        @Override
        public void unpark(Thread thread) {
            base.unpark(thread);
        }

        @Override
        public void interrupt(Thread thread) {
            base.interrupt(thread);
        }

        @Override
        public long nextRandom() {
            return 0;
        }
    }
}
