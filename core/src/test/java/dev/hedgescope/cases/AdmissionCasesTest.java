package dev.hedgescope.cases;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.HedgeBudget;
import dev.hedgescope.Limiter;
import dev.hedgescope.Limiter.Permit;
import dev.hedgescope.Racer;
import dev.hedgescope.testing.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults that limiters and budgets of others had, as far as they concern ours alone, without a hedger. */
class AdmissionCasesTest {

    private static final boolean THOROUGH = Boolean.getBoolean("hedgescope.thorough");
    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    /** L-02: failsafe-lib/failsafe#393, palantir/conjure-java-runtime PR#1147, redisson/redisson PR#7206. */
    @Test
    void a_waiter_that_gives_up_does_not_take_the_permit_with_it() {
        Simulation.options().pointsPerInstant(10_000_000).run(2, sim -> {
            Limiter limiter = Limiter.fixed(8, sim.runtime());
            for (int round = 0; round < rounds(1_000); round++) {
                List<Permit> held = take(limiter, 8);
                for (int i = 0; i < 8; i++) {
                    sim.start(
                            "waiter",
                            () -> assertThat(limiter.acquire(Duration.ofMillis(10)))
                                    .isNull());
                }
                sim.joinAll();

                held.forEach(Permit::success);

                assertThat(limiter.inUse()).isZero();
                take(limiter, 8).forEach(Permit::success);
            }
        });
    }

    /** L-02, where the permit comes at the very moment at which the waiter gives up. */
    @Test
    void a_permit_that_meets_a_waiter_that_gives_up_has_one_owner() {
        Simulation.runAll(1, rounds(100_000), sim -> {
            Limiter limiter = Limiter.fixed(1, sim.runtime());
            Permit held = limiter.tryAcquire();
            AtomicInteger admitted = new AtomicInteger();
            for (int i = 0; i < 2; i++) {
                sim.start("waiter " + i, () -> {
                    Permit permit = limiter.acquire(Duration.ofMillis(10));
                    if (permit != null) {
                        assertThat(admitted.incrementAndGet()).isEqualTo(1);
                        admitted.decrementAndGet();
                        permit.ignore();
                    }
                });
            }
            sim.sleep(Duration.ofMillis(10));

            held.ignore();

            sim.joinAll();
            assertThat(limiter.inUse()).isZero();
            take(limiter, 1);
        });
    }

    /** L-03: apache/paimon#9508. */
    @Test
    void an_interrupted_waiter_creates_no_permit() {
        Simulation.runAll(1, rounds(100_000), sim -> {
            Limiter limiter = Limiter.fixed(1, sim.runtime());
            Permit held = limiter.tryAcquire();
            AtomicBoolean entered = new AtomicBoolean();
            Thread waiter = sim.start("waiter", () -> {
                assertThatThrownBy(() -> {
                            limiter.acquire(FOREVER);
                            entered.set(true);
                        })
                        .isInstanceOf(InterruptedException.class);
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
            });

            sim.interrupt(waiter);
            sim.join(waiter);

            assertThat(entered).isFalse();
            assertThat(limiter.inUse()).isEqualTo(1);
            held.success();
            assertThat(limiter.inUse()).isZero();
            take(limiter, 1);
        });
    }

    /** L-03, where the interrupt races the permit: it has one owner, or is free. */
    @Test
    void an_interrupt_that_meets_the_permit_loses_it_to_nobody() {
        Simulation.runAll(1, rounds(100_000), sim -> {
            Limiter limiter = Limiter.fixed(1, sim.runtime());
            Permit held = limiter.tryAcquire();
            Thread interrupted = sim.start("interrupted", () -> {
                try {
                    limiter.acquire(FOREVER).success();
                } catch (InterruptedException e) {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                }
            });
            sim.start("patient", () -> limiter.acquire(FOREVER).success());
            sim.start("holder", held::success);

            sim.interrupt(interrupted);

            sim.joinAll();
            assertThat(limiter.inUse()).isZero();
            take(limiter, 1);
        });
    }

    /** L-06: resilience4j/resilience4j PR#264, resilience4j/resilience4j#1569, elastic/elasticsearch PR#14909. */
    @Test
    void nobody_releases_twice() throws InterruptedException {
        Limiter limiter = Limiter.fixed(4);
        int calls = rounds(1_000_000) / 16;
        AtomicInteger running = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        Racer sampler = Racer.start(() -> {
            while (ended.get() < 16) {
                assertThat(limiter.inUse()).isBetween(0, 4);
                Thread.yield();
            }
        });
        Racer[] callers = Racer.start(16, () -> {
            try {
                for (int i = 0; i < calls; i++) {
                    callOnce(limiter, running);
                }
            } finally {
                ended.incrementAndGet();
            }
        });

        Racer.joinAll(callers);
        sampler.join();

        assertThat(limiter.inUse()).isZero();
        take(limiter, 4);
    }

    /** One call that ends in one of several ways, and is settled by some verb, then by another. */
    private static void callOnce(Limiter limiter, AtomicInteger running) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        Permit permit;
        try {
            if (random.nextInt(8) == 0) {
                Thread.currentThread().interrupt();
            }
            permit = random.nextBoolean()
                    ? limiter.acquire(Duration.ofNanos(random.nextInt(100_000)))
                    : limiter.tryAcquire();
        } catch (InterruptedException e) {
            return;
        } finally {
            Thread.interrupted();
        }
        if (permit == null) {
            return;
        }
        assertThat(running.incrementAndGet()).isLessThanOrEqualTo(4);
        running.decrementAndGet();
        settle(permit, random.nextInt(3));
        int again = random.nextInt(3);
        assertThatThrownBy(() -> settle(permit, again)).isInstanceOf(IllegalStateException.class);
    }

    private static void settle(Permit permit, int verb) {
        switch (verb) {
            case 0 -> permit.success();
            case 1 -> permit.ignore();
            default -> permit.drop();
        }
    }

    /** L-12: the semaphore bulkhead's suite in resilience4j/resilience4j. */
    @Test
    void lowering_the_limit_while_work_is_in_flight_loses_no_permit() throws InterruptedException {
        Limiter.Adjustable limiter = Limiter.fixed(10);
        List<Permit> held = take(limiter, 8);

        limiter.limit(2);

        assertThat(limiter.inUse()).isEqualTo(8);
        assertThat(limiter.tryAcquire()).isNull();
        assertThat(limiter.acquire(Duration.ofMillis(1))).isNull();
        held.forEach(Permit::success);
        List<Permit> two = take(limiter, 2);
        assertThat(limiter.tryAcquire()).isNull();
        two.forEach(Permit::success);
        limiter.limit(10);
        take(limiter, 10);
        assertThat(limiter.tryAcquire()).isNull();
    }

    /** L-13: the semaphore bulkhead's suite in resilience4j/resilience4j, redisson/redisson PR#7206. */
    @Test
    void a_storm_of_resizes_neither_loses_nor_invents_permits() throws InterruptedException {
        Limiter.Adjustable limiter = Limiter.fixed(32);
        int rounds = rounds(1_000_000);
        AtomicInteger running = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        Racer[] resizers = Racer.start(2, () -> {
            while (ended.get() < 16) {
                limiter.limit(1 + ThreadLocalRandom.current().nextInt(64));
                Thread.yield();
            }
        });
        Racer[] callers = Racer.start(16, () -> {
            try {
                for (int i = 0; i < rounds; i++) {
                    Permit permit = i % 64 == 0 ? limiter.acquire(FOREVER) : limiter.tryAcquire();
                    if (permit != null) {
                        assertThat(running.incrementAndGet()).isLessThanOrEqualTo(64);
                        running.decrementAndGet();
                        permit.success();
                    }
                }
            } finally {
                ended.incrementAndGet();
            }
        });

        Racer.joinAll(callers);
        Racer.joinAll(resizers);

        limiter.limit(32);
        assertThat(limiter.inUse()).isZero();
        take(limiter, 32);
        assertThat(limiter.tryAcquire()).isNull();
    }

    /** V-15: resilience4j/resilience4j PR#981. */
    @Test
    void a_resize_at_the_head_of_a_queue_turns_nobody_away() {
        Simulation.runAll(1, rounds(10_000), sim -> {
            Limiter.Adjustable limiter = Limiter.fixed(10, sim.runtime());
            take(limiter, 1);
            AtomicInteger running = new AtomicInteger(1);
            sim.start("resizer", () -> {
                limiter.limit(5);
                assertThat(sim.millis()).isZero();
            });
            for (int i = 0; i < 100; i++) {
                sim.start("caller", () -> {
                    Permit permit = limiter.tryAcquire();
                    if (permit == null) {
                        assertThat(running.get()).isGreaterThanOrEqualTo(5);
                    } else {
                        running.incrementAndGet();
                    }
                });
            }
            sim.joinAll();

            assertThat(running.get()).isBetween(5, 10);
            assertThat(limiter.inUse()).isEqualTo(running.get());
        });
    }

    /** N-11: AsyncHttpClient/async-http-client#1797, apache/pulsar#12151. */
    @Test
    void as_many_permits_as_there_are_integers_overflow_nothing() throws InterruptedException {
        Limiter.Adjustable limiter = Limiter.fixed(Integer.MAX_VALUE);
        for (int i = 0; i < 1_000; i++) {
            Permit primary = limiter.acquire(FOREVER);
            Permit hedge = limiter.tryAcquireHedge();
            assertThat(limiter.inUse()).isEqualTo(2);
            hedge.ignore();
            primary.success();
        }
        List<Permit> held = take(limiter, 5);

        limiter.limit(Integer.MAX_VALUE);
        limiter.limit(0);
        limiter.limit(Integer.MAX_VALUE);

        assertThat(limiter.inUse()).isEqualTo(5);
        held.forEach(Permit::success);
        assertThat(limiter.inUse()).isZero();
        assertThat(limiter.limit()).isEqualTo(Integer.MAX_VALUE);
        assertThatThrownBy(() -> limiter.limit((int) (Integer.MAX_VALUE + 1L)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** N-12: the RetryBudget suite of twitter/finagle. */
    @ParameterizedTest
    @ValueSource(doubles = {0.5, 0.25, 0.75, 0.1, 0.01, 0.001, 0.99, 0.999})
    void budget_ratios_are_met(double ratio) {
        HedgeBudget budget = HedgeBudget.builder().ratio(ratio).initial(0).build();
        int hedges = 0;
        for (int i = 0; i < 10_000; i++) {
            hedges += budget.tryWithdraw() ? 1 : 0;
            budget.deposit();
        }

        assertThat(hedges).isBetween((int) Math.floor(10_000 * ratio) - 1, (int) Math.floor(10_000 * ratio) + 1);
    }

    /** N-14: twitter/finagle, whose deposits expire. Ours do not: the burst bounds what can pile up. */
    @Test
    void an_idle_budget_does_not_overfill() {
        Simulation.options().orderly().pointsPerInstant(10_000_000).run(0, sim -> {
            HedgeBudget budget = HedgeBudget.of(0.1, 10, sim.runtime());
            for (int i = 0; i < 1_000_000; i++) {
                budget.deposit();
            }
            sim.sleep(Duration.ofDays(1));
            assertThat(budget.balance()).isEqualTo(10);
            int hedges = 0;
            for (int i = 0; i < 1_000; i++) {
                hedges += budget.tryWithdraw() ? 1 : 0;
                budget.deposit();
            }

            assertThat(hedges).isBetween(109, 110);
        });
    }

    /** N-14, after more deposits than an integer counts. */
    @Test
    void no_number_of_deposits_wraps_around() {
        HedgeBudget budget =
                HedgeBudget.builder().ratio(1).burst(1e9).initial(1e9).build();
        long deposits = THOROUGH ? (1L << 31) + 10 : (1L << 31) / 500;
        for (long i = 0; i < deposits; i++) {
            budget.deposit();
        }
        budget.refund();

        assertThat(budget.balance()).isEqualTo(1e9);
    }

    /** As many rounds as the case asks for, or a fiftieth. */
    private static int rounds(int full) {
        return THOROUGH ? full : full / 50;
    }

    private static List<Permit> take(Limiter limiter, int count) {
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            permits.add(limiter.tryAcquire());
        }
        assertThat(permits).doesNotContainNull();
        return permits;
    }
}
