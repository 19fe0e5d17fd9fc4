package dev.hedgescope.laws;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.hedgescope.Attempt;
import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgeException;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeStats;
import dev.hedgescope.Hedger;
import dev.hedgescope.Limiter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;

/**
 * Many calls with all outcomes, from 64 callers on real threads through 8 permits. {@code -Dhedgescope.calls=1000000} sets how
 * many.
 */
class MillionCallsTest {

    private static final int CALLS =
            Integer.getInteger("hedgescope.calls", Boolean.getBoolean("hedgescope.thorough") ? 1_000_000 : 50_000);
    private static final int CALLERS = 64;
    private static final int KINDS = 16;
    private static final double INITIAL = 1_000;
    private static final double RATIO = 0.1;

    private static final HedgePolicy POLICY = HedgePolicy.builder()
            .delay(HedgeDelay.fixed(Duration.ofMillis(1)))
            .deadline(Duration.ofMillis(500))
            .permitWait(Duration.ofMillis(400))
            .build();
    private static final HedgePolicy SHORT =
            POLICY.toBuilder().deadline(Duration.ofMillis(4)).build();
    private static final HedgePolicy IMPATIENT =
            POLICY.toBuilder().permitWait(Duration.ZERO).build();

    @Test
    void nothing_is_lost_or_invented_by_many_calls_with_all_outcomes() throws Exception {
        Limiter limiter = Limiter.fixed(8);
        HedgeBudget budget =
                HedgeBudget.builder().ratio(RATIO).burst(1e6).initial(INITIAL).build();
        Hedger hedger = Hedger.builder("million")
                .policy(POLICY)
                .limiter(limiter)
                .budget(budget)
                .build();
        AtomicInteger next = new AtomicInteger();
        AtomicLongArray seen = new AtomicLongArray(End.values().length);
        List<Thread> callers = new ArrayList<>();

        for (int c = 0; c < CALLERS; c++) {
            callers.add(Thread.ofVirtual().start(() -> {
                for (int i = next.getAndIncrement(); i < CALLS; i = next.getAndIncrement()) {
                    seen.incrementAndGet(call(hedger, i % KINDS).ordinal());
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }

        Laws.check(hedger);
        HedgeStats stats = hedger.stats();
        assertThat(stats.calls()).isEqualTo(CALLS);
        assertThat(stats.won()).isEqualTo(seen.get(End.VALUE.ordinal()));
        assertThat(stats.failed()).isEqualTo(seen.get(End.FAILURE.ordinal()));
        assertThat(stats.timedOut()).isEqualTo(seen.get(End.TIMED_OUT.ordinal()));
        assertThat(stats.refused()).isEqualTo(seen.get(End.REFUSED.ordinal()));
        assertThat(stats.abandoned()).isEqualTo(seen.get(End.INTERRUPTED.ordinal()));
        assertThat(limiter.inUse()).isZero();
        assertThat(budget.balance()).isCloseTo(INITIAL + RATIO * stats.won() - stats.hedges(), within(0.001));
        assertThat(stats.hedges()).isPositive();
        assertThat(hedger.close(Duration.ofSeconds(30))).isEmpty();
    }

    private enum End {
        VALUE,
        FAILURE,
        TIMED_OUT,
        REFUSED,
        INTERRUPTED
    }

    private static End call(Hedger hedger, int kind) {
        try {
            switch (kind) {
                case 0 -> hedger.call(IMPATIENT, attempt -> "at once, or refused");
                case 1 ->
                    hedger.call(attempt -> {
                        throw new IOException("in every attempt");
                    });
                case 2 ->
                    hedger.call(attempt -> {
                        throw new AssertionError("fatal");
                    });
                case 3 -> hedger.call(MillionCallsTest::slowPrimary);
                case 4 -> hedger.call(SHORT, attempt -> new CountDownLatch(1).await(1_000, MILLISECONDS));
                case 5 -> hedger.call(MillionCallsTest::deafPrimary);
                case 6 -> {
                    Thread.currentThread().interrupt();
                    hedger.call(attempt -> "never");
                }
                case 7 -> hedger.call(attempt -> attempt.onCancel(() -> {}, () -> slowPrimary(attempt)));
                default -> hedger.call(attempt -> null);
            }
            return End.VALUE;
        } catch (HedgeException.TimedOut e) {
            return End.TIMED_OUT;
        } catch (HedgeException.Refused e) {
            return End.REFUSED;
        } catch (InterruptedException e) {
            return End.INTERRUPTED;
        } catch (IOException | AssertionError e) {
            return End.FAILURE;
        }
    }

    private static String slowPrimary(Attempt attempt) throws InterruptedException {
        if (attempt.isPrimary()) {
            new CountDownLatch(1).await(3, MILLISECONDS);
        }
        return "slow";
    }

    private static String deafPrimary(Attempt attempt) {
        long end = System.nanoTime() + MILLISECONDS.toNanos(2);
        while (attempt.isPrimary() && System.nanoTime() - end < 0) {
            try {
                new CountDownLatch(1).await(1, MILLISECONDS);
            } catch (InterruptedException ignored) {
                Thread.yield(); // deaf on purpose
            }
        }
        return "deaf";
    }
}
