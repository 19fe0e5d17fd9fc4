package dev.hedgescope.cases;

import static java.time.Duration.ofHours;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgeException;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeSkip;
import dev.hedgescope.Hedger;
import dev.hedgescope.Limiter;
import dev.hedgescope.laws.Laws;
import dev.hedgescope.laws.LawsExtension;
import dev.hedgescope.laws.Ledger;
import dev.hedgescope.testing.Simulation;
import dev.hedgescope.testing.SimulationOptions.StartFailure;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Permits, tokens and threads that others lost or invented, restated for hedged calls; each cited by its public source. */
@ExtendWith(LawsExtension.class)
class LeakCasesTest {

    private static void underManySeeds(Laws.Body body) {
        Laws.runAll(Simulation.options(), 1, 50, body);
    }

    private static int rounds(int thorough) {
        return Boolean.getBoolean("hedgescope.thorough") ? thorough : thorough / 50;
    }

    private static HedgePolicy.Builder after(long millis, int attempts) {
        return HedgePolicy.builder().delay(HedgeDelay.fixed(ofMillis(millis))).maxAttempts(attempts);
    }

    private static Hedger hedger(Ledger ledger, HedgePolicy.Builder policy, Limiter limiter) {
        return ledger.watch(ledger.hedger("case")
                .policy(policy.build())
                .limiter(ledger.limiter(limiter))
                .build());
    }

    @Test
    @DisplayName("L-01, spring-cloud/spring-cloud-circuitbreaker#163; L-16, #102: a refused call has not run")
    void the_permit_outlives_the_callers_timeout() {
        underManySeeds((sim, ledger) -> {
            Limiter limiter = Limiter.fixed(1, sim.runtime());
            Hedger hedger = hedger(ledger, after(10, 1).deadline(ofMillis(100)), limiter);
            AtomicInteger bodies = new AtomicInteger();

            assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> {
                        bodies.incrementAndGet();
                        sim.sleepUninterruptibly(ofSeconds(2));
                        return "late";
                    })))
                    .isInstanceOf(HedgeException.TimedOut.class);
            assertThat(sim.millis()).isEqualTo(100);
            assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> bodies.incrementAndGet())))
                    .isInstanceOf(HedgeException.Refused.class);

            assertThat(limiter.inUse()).isEqualTo(1);
            sim.sleep(ofSeconds(2));
            assertThat(limiter.inUse()).isZero();
            assertThat(bodies).hasValue(1);
        });
    }

    @Test
    @DisplayName("L-03, apache/paimon#9508")
    void an_interrupted_waiter_does_not_create_a_permit() {
        underManySeeds((sim, ledger) -> {
            Limiter limiter = Limiter.fixed(1, sim.runtime());
            Hedger hedger = hedger(ledger, after(10, 1).permitWait(ofHours(1)), limiter);
            AtomicBoolean interrupted = new AtomicBoolean();
            Limiter.Permit held = limiter.tryAcquire();
            Thread waiter = sim.start("waiter", () -> {
                try {
                    hedger.call(ledger.task(attempt -> "never"));
                } catch (InterruptedException expected) {
                    interrupted.set(true);
                }
            });

            sim.sleep(ofMillis(5));
            sim.interrupt(waiter);
            assertThat(held).isNotNull();
            held.ignore();
            sim.joinAll();

            // The interrupt and the permit come together: the waiter may have the permit, and then ends before it
            // starts anything.
            assertThat(interrupted).isTrue();
            assertThat(limiter.inUse()).isZero();
            assertThat(hedger.stats().attempts()).isZero();
        });
    }

    @Test
    @DisplayName(
            "L-04, spring-projects/spring-framework PR#35708; L-05, the Thread contract: start throws, or returns null")
    void a_thread_that_cannot_be_started_costs_nothing() {
        for (StartFailure how : StartFailure.values()) {
            for (String which : List.of("#0", "#1")) {
                Laws.runAll(
                        Simulation.options().startFails(how, name -> name.endsWith(which)), 1, 50, (sim, ledger) -> {
                            Limiter limiter = Limiter.fixed(2, sim.runtime());
                            Hedger hedger = hedger(ledger, after(10, 2), limiter);
                            Throwable failure = null;

                            try {
                                ledger.delivered(hedger.call(ledger.task(attempt -> {
                                    sim.sleep(ofMillis(50));
                                    return "#" + attempt.number();
                                })));
                            } catch (Throwable thrown) {
                                failure = thrown;
                            }

                            if (which.equals("#0")) {
                                assertThat(failure)
                                        .isInstanceOf(
                                                how == StartFailure.THROW
                                                        ? OutOfMemoryError.class
                                                        : IllegalStateException.class);
                                assertThat(sim.millis()).isZero();
                            } else {
                                assertThat(failure).isNull();
                                assertThat(hedger.stats().skips()).isEqualTo(Map.of(HedgeSkip.THREAD, 1L));
                            }
                            assertThat(hedger.awaitQuiet(ofSeconds(1))).isTrue();
                            assertThat(limiter.inUse()).isZero();
                        });
            }
        }
    }

    @Test
    @DisplayName("L-07, failsafe-lib/failsafe#182")
    void an_error_from_the_task_gives_its_permit_back() {
        underManySeeds((sim, ledger) -> {
            Limiter limiter = Limiter.fixed(1, sim.runtime());
            Hedger hedger = hedger(ledger, after(10, 2), limiter);

            for (int i = 0; i < 20; i++) {
                assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> {
                            throw new OutOfMemoryError("thrown, not provoked");
                        })))
                        .isInstanceOf(OutOfMemoryError.class);
                assertThat(limiter.inUse()).isZero();
            }

            String healthy = hedger.call(ledger.task(attempt -> "healthy"));
            assertThat(healthy).isEqualTo("healthy");
        });
    }

    @Test
    @DisplayName("L-08, projectdiscovery/utils PR#761: losers that ignore the interrupt do not park on a hand-off")
    void losers_leave_when_their_work_ends() {
        underManySeeds((sim, ledger) -> {
            Limiter limiter = Limiter.fixed(1_000, sim.runtime());
            Hedger hedger = hedger(ledger, after(1, 3), limiter);

            for (int i = 0; i < 10; i++) {
                ledger.delivered(hedger.call(ledger.task(attempt -> {
                    sim.sleepUninterruptibly(ofMillis(attempt.number() == 2 ? 1 : 20));
                    return "#" + attempt.number();
                })));
            }

            sim.sleep(ofMillis(25));
            assertThat(limiter.inUse()).isZero();
            assertThat(hedger.stats().running()).isZero();
        });
    }

    @Test
    @DisplayName("L-09, grpc/grpc-java#1307, ReactiveX/RxJava PR#1922")
    void fast_calls_with_a_long_delay_leave_nothing_behind() throws Exception {
        int rounds = rounds(100_000);
        HedgePolicy policy = HedgePolicy.builder()
                .delay(HedgeDelay.fixed(ofHours(1)))
                .deadline(ofHours(1))
                .build();
        try (Hedger hedger = Hedger.builder("case").policy(policy).build()) {
            List<WeakReference<byte[]>> captured = new ArrayList<>();
            for (int i = 0; i < rounds; i++) {
                byte[] array = new byte[10_000];
                hedger.call(attempt -> array.length);
                captured.add(new WeakReference<>(array));
            }
            assertThat(hedger.awaitQuiet(ofSeconds(30))).isTrue();

            System.gc();

            // A few may still be on the stacks of threads that are ending.
            assertThat(captured.stream().filter(array -> array.get() != null).count())
                    .isLessThan(rounds / 10);
            Laws.check(hedger);
        }
    }

    @Test
    @DisplayName("L-10, twitter/finagle BackupRequestFilter")
    void a_token_for_a_hedge_that_never_started_comes_back() {
        underManySeeds((sim, ledger) -> {
            HedgeBudget budget =
                    HedgeBudget.builder().ratio(0).burst(1).initial(1).build();
            Limiter limiter = Limiter.fixed(1, sim.runtime());
            Hedger hedger = ledger.watch(ledger.hedger("case")
                    .policy(after(10, 2).build())
                    .limiter(ledger.limiter(limiter))
                    .budget(budget)
                    .build());

            ledger.delivered(hedger.call(ledger.task(attempt -> {
                sim.sleep(ofMillis(100));
                return "a";
            })));

            assertThat(hedger.stats().hedges()).isZero();
            assertThat(hedger.stats().skips()).isEqualTo(Map.of(HedgeSkip.PERMIT, 1L));
            assertThat(budget.balance()).isEqualTo(1);
        });
    }

    @Test
    @DisplayName("L-14, brettwooldridge/HikariCP#1858")
    void closed_hedgers_leave_no_thread() {
        underManySeeds((sim, ledger) -> {
            for (int i = 0; i < 20; i++) {
                Hedger hedger = ledger.watch(
                        ledger.hedger("case " + i).policy(after(1, 2).build()).build());
                ledger.delivered(hedger.call(ledger.task(attempt -> {
                    sim.sleep(ofMillis(attempt.isPrimary() ? 50 : 1));
                    return "#" + attempt.number();
                })));
                assertThat(hedger.close(ofSeconds(5))).isEmpty();
            }
        });
    }

    @Test
    @DisplayName("L-15, resilience4j/resilience4j#2296")
    void losers_that_never_end_are_visible_and_recovery_works() {
        underManySeeds((sim, ledger) -> {
            Limiter limiter = Limiter.fixed(3, sim.runtime());
            Hedger hedger = hedger(ledger, after(10, 2).deadline(ofMillis(200)), limiter);
            for (int i = 0; i < 3; i++) {
                try {
                    hedger.call(ledger.task(attempt -> {
                        sim.sleepUninterruptibly(attempt.isPrimary() ? ofSeconds(20) : ofMillis(1));
                        return "#" + attempt.number();
                    }));
                } catch (HedgeException.TimedOut noPermitForTheHedge) {
                    assertThat(i).isEqualTo(2);
                }
            }

            assertThat(hedger.stats().stragglers()).isEqualTo(3);
            assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> "fourth")))
                    .isInstanceOf(HedgeException.Refused.class)
                    .hasMessageStartingWith("case: primary refused, all 3 permits are held, 3 by stragglers (oldest ");
            sim.sleep(ofSeconds(21));

            assertThat(limiter.inUse()).isZero();
            String fifth = hedger.call(ledger.task(attempt -> "fifth"));
            assertThat(fifth).isEqualTo("fifth");
        });
    }
}
