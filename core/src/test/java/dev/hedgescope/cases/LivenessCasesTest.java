package dev.hedgescope.cases;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.Attempt;
import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgeException;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeSkip;
import dev.hedgescope.Hedger;
import dev.hedgescope.Limiter;
import dev.hedgescope.Replica;
import dev.hedgescope.Replicas;
import dev.hedgescope.laws.Laws;
import dev.hedgescope.laws.LawsExtension;
import dev.hedgescope.laws.Ledger;
import dev.hedgescope.testing.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Faults that made others hang, or load what was slow already, restated for hedged calls; each cited by its public source. */
@ExtendWith(LawsExtension.class)
class LivenessCasesTest {

    private static void underManySeeds(Laws.Body body) {
        Laws.runAll(Simulation.options(), 1, 50, body);
    }

    private static HedgePolicy.Builder after(long millis, int attempts) {
        return HedgePolicy.builder().delay(HedgeDelay.fixed(ofMillis(millis))).maxAttempts(attempts);
    }

    private static Hedger hedger(Ledger ledger, HedgePolicy.Builder policy, Limiter limiter, HedgeBudget budget) {
        return ledger.watch(ledger.hedger("case")
                .policy(policy.build())
                .limiter(ledger.limiter(limiter))
                .budget(budget)
                .build());
    }

    private static Attempt.Task<String, RuntimeException> sleeps(Simulation sim, Ledger ledger, long... millis) {
        return ledger.task(attempt -> {
            sim.sleep(ofMillis(millis[attempt.number()]));
            return "#" + attempt.number();
        });
    }

    @Test
    @DisplayName("V-01, dotnet/extensions#5699, failsafe-lib/failsafe#263")
    void the_winner_returns_although_a_loser_ignores_interrupts() {
        underManySeeds((sim, ledger) -> {
            Limiter limiter = Limiter.fixed(4, sim.runtime());
            Hedger hedger = hedger(ledger, after(20, 2), limiter, HedgeBudget.unlimited());
            Attempt.Task<String, RuntimeException> task = ledger.task(attempt -> {
                sim.sleepUninterruptibly(attempt.isPrimary() ? ofSeconds(10) : ofMillis(10));
                return "#" + attempt.number();
            });

            String value = ledger.delivered(hedger.call(task));

            assertThat(value).isEqualTo("#1");
            assertThat(sim.millis()).isEqualTo(30);
            sim.sleep(ofSeconds(5));
            assertThat(hedger.stragglers()).hasSize(1);
            assertThat(limiter.inUse()).isEqualTo(1);
            sim.sleep(ofSeconds(6));
            assertThat(limiter.inUse()).isZero();
        });
    }

    @Test
    @DisplayName("V-02, grpc/grpc-java#7222")
    void a_failed_primary_ends_the_call_at_once_when_the_budget_is_empty() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(
                    ledger, after(10, 3).deadline(ofSeconds(15)), Limiter.fixed(4, sim.runtime()), HedgeBudget.none());
            IOException mine = new IOException("e0");

            assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> {
                        sim.sleep(ofMillis(4));
                        throw mine;
                    })))
                    .isSameAs(mine);

            assertThat(sim.millis()).isEqualTo(4);
            assertThat(hedger.stats().hedges()).isZero();
            assertThat(hedger.stats().skips()).isEqualTo(Map.of(HedgeSkip.BUDGET, 1L));
        });
    }

    @Test
    @DisplayName("V-03, failsafe-go/failsafe-go#141")
    void an_empty_budget_suppresses_the_next_hedge_and_nothing_else() {
        underManySeeds((sim, ledger) -> {
            HedgeBudget oneToken = HedgeBudget.builder()
                    .ratio(0)
                    .burst(1)
                    .initial(1)
                    .runtime(sim.runtime())
                    .build();
            Hedger hedger = hedger(ledger, after(10, 4), Limiter.fixed(8, sim.runtime()), oneToken);

            String value = ledger.delivered(hedger.call(sleeps(sim, ledger, 100, 500, 500, 500)));

            assertThat(value).isEqualTo("#0");
            assertThat(sim.millis()).isEqualTo(100);
            assertThat(hedger.stats().attempts()).isEqualTo(2);
            assertThat(hedger.stats().skips()).isEqualTo(Map.of(HedgeSkip.BUDGET, 1L));
        });
    }

    @Test
    @DisplayName("V-05, openjdk/jdk PR#14833")
    void a_hedge_that_starts_as_the_call_is_won_does_not_run_on() {
        Laws.runAll(Simulation.options().stalls(0.05, ofMillis(2)), 1, 500, (sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(1, 2), Limiter.fixed(4, sim.runtime()), HedgeBudget.unlimited());

            ledger.delivered(hedger.call(sleeps(sim, ledger, 1, 60_000)));

            assertThat(hedger.awaitQuiet(ofSeconds(5))).isTrue();
            assertThat(sim.millis()).isLessThan(5_000);
        });
    }

    @Test
    @DisplayName("V-06, grpc/grpc-java PR#9626, apache/cassandra-java-driver")
    void closing_with_calls_in_flight_ends_each_of_them() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(50, 2), Limiter.fixed(200, sim.runtime()), HedgeBudget.unlimited());
            AtomicInteger closed = new AtomicInteger();
            for (int i = 0; i < 10; i++) {
                sim.start("caller " + i, () -> {
                    try {
                        hedger.call(sleeps(sim, ledger, 200, 200));
                    } catch (IllegalStateException expected) {
                        closed.incrementAndGet();
                    }
                });
            }
            sim.sleep(ofMillis(40));

            hedger.close();
            hedger.close();

            sim.sleep(ofMillis(1));
            assertThat(closed).hasValue(10);
            assertThat(hedger.stats().hedges()).isZero();
            assertThatThrownBy(() -> hedger.call(sleeps(sim, ledger, 1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("case: the hedger is closed");
        });
    }

    @Test
    @DisplayName("V-07, sib-swiss/void-generator#17")
    void a_call_inside_a_call_with_one_permit_is_refused_not_stuck() {
        underManySeeds((sim, ledger) -> {
            Limiter limiter = Limiter.fixed(1, sim.runtime());
            Hedger hedger = hedger(ledger, after(1_000, 1).permitWait(ofMillis(200)), limiter, HedgeBudget.unlimited());

            assertThatThrownBy(() -> hedger.call(ledger.task(outer -> hedger.call(ledger.task(inner -> "never")))))
                    .isInstanceOf(HedgeException.Refused.class);

            assertThat(sim.millis()).isEqualTo(200);
            assertThat(limiter.inUse()).isZero();
        });
    }

    @Test
    @DisplayName("V-08, apache/solr SOLR-18174")
    void with_one_permit_the_hedge_gets_its_turn_after_the_primary_failed() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(1_000, 2), Limiter.fixed(1, sim.runtime()), HedgeBudget.unlimited());

            String value = ledger.delivered(hedger.call(ledger.task(attempt -> {
                sim.sleep(ofMillis(5));
                if (attempt.isPrimary()) {
                    throw new IOException("first");
                }
                return "second";
            })));

            assertThat(value).isEqualTo("second");
            assertThat(sim.millis()).isEqualTo(10);
        });
    }

    @Test
    @DisplayName("V-09, apache/hadoop TestPread")
    void without_a_permit_for_the_hedge_the_call_goes_on() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(10, 3), Limiter.fixed(1, sim.runtime()), HedgeBudget.unlimited());

            String value = ledger.delivered(hedger.call(sleeps(sim, ledger, 100, 1, 1)));

            assertThat(value).isEqualTo("#0");
            assertThat(hedger.stats().attempts()).isEqualTo(1);
            assertThat(hedger.stats().skips()).isEqualTo(Map.of(HedgeSkip.PERMIT, 1L));
        });
    }

    @Test
    @DisplayName("V-10, apache/hadoop TestPread")
    void when_all_replicas_fail_at_once_each_was_tried_once() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(50, 5), Limiter.fixed(8, sim.runtime()), HedgeBudget.unlimited());
            Replicas<String> replicas = Replicas.of(
                    List.of(new Replica<>("r1", "", "1"), new Replica<>("r2", "", "2"), new Replica<>("r3", "", "3")),
                    sim.runtime());
            List<String> tried = new ArrayList<>();

            assertThatThrownBy(() -> hedger.call(replicas, (attempt, resource) -> {
                        tried.add(resource);
                        throw new IOException(resource);
                    }))
                    .isInstanceOf(IOException.class)
                    .satisfies(e -> assertThat(e.getSuppressed()).hasSize(2));

            assertThat(tried).containsExactlyInAnyOrder("1", "2", "3");
            assertThat(sim.millis()).isZero();
            assertThat(hedger.stats().skips()).isEqualTo(Map.of(HedgeSkip.REPLICA, 1L));
        });
    }

    @Test
    @DisplayName("V-11, failsafe-lib/failsafe#263, Netflix/Hystrix#1562")
    void the_deadline_holds_although_the_task_never_cooperates() {
        for (int attempts : new int[] {1, 3}) {
            underManySeeds((sim, ledger) -> {
                Limiter limiter = Limiter.fixed(3, sim.runtime());
                Hedger hedger =
                        hedger(ledger, after(10, attempts).deadline(ofMillis(100)), limiter, HedgeBudget.unlimited());

                assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> {
                            sim.sleepUninterruptibly(ofSeconds(20));
                            return "late";
                        })))
                        .isInstanceOf(HedgeException.TimedOut.class);

                assertThat(sim.millis()).isEqualTo(100);
                assertThat(limiter.inUse()).isEqualTo(attempts);
                sim.sleep(ofSeconds(21));
                assertThat(limiter.inUse()).isZero();
            });
        }
    }

    @Test
    @DisplayName("V-12, scylladb/cpp-driver#110")
    void hedging_does_not_turn_the_deadline_off() {
        for (long deadline : new long[] {1_000, 500, 250}) {
            underManySeeds((sim, ledger) -> {
                Hedger hedger = hedger(
                        ledger,
                        after(500, 2).deadline(ofMillis(deadline)),
                        Limiter.fixed(4, sim.runtime()),
                        HedgeBudget.unlimited());

                assertThatThrownBy(() -> hedger.call(sleeps(sim, ledger, 60_000, 60_000)))
                        .isInstanceOf(HedgeException.TimedOut.class);

                assertThat(sim.millis()).isEqualTo(deadline);
            });
        }
    }

    @Test
    @DisplayName("V-13, grafana/loki PR#4826, Azure/azure-sdk-for-rust PR#4896")
    void a_uniformly_slow_dependency_does_not_get_twice_the_load() {
        Laws.run(Simulation.options().orderly(), 1, (sim, ledger) -> {
            HedgeBudget budget =
                    HedgeBudget.builder().ratio(0.1).burst(10).initial(0).build();
            Hedger hedger = hedger(ledger, after(50, 2), Limiter.fixed(64, sim.runtime()), budget);

            for (int i = 0; i < 1_000; i++) {
                ledger.delivered(hedger.call(sleeps(sim, ledger, 500, 500)));
            }

            long hedges = hedger.stats().hedges();
            assertThat(hedges).isBetween(98L, 100L);
            assertThat(hedger.stats().skips().get(HedgeSkip.BUDGET)).isEqualTo(1_000 - hedges);
        });
    }

    @Test
    @DisplayName("V-04, grpc/grpc-java#10314")
    void no_lock_of_the_library_is_held_while_code_of_the_user_runs() {
        Laws.runAll(Simulation.options(), 1, 200, (sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(2, 2), Limiter.fixed(64, sim.runtime()), HedgeBudget.unlimited());
            Attempt.Task<String, RuntimeException> hooked = ledger.task(attempt -> attempt.onCancel(
                    // a hook that makes a call of the same hedger, and asks it for its numbers
                    () -> {
                        hedger.call(ledger.task(inner -> "inner"));
                        hedger.stats();
                    },
                    () -> {
                        sim.sleep(ofMillis(attempt.isPrimary() ? 50 : 3));
                        hedger.stragglers();
                        return "#" + attempt.number();
                    }));
            for (int i = 0; i < 3; i++) {
                sim.start("caller " + i, () -> ledger.delivered(hedger.call(hooked)));
            }

            sim.joinAll();

            assertThat(sim.millis()).isLessThan(1_000);
        });
    }

    @Test
    @DisplayName("V-14, brettwooldridge/HikariCP PR#2055: on JDK 21 a monitor pins its carrier, from 24 it does not")
    void the_deadline_holds_for_a_platform_caller_although_every_carrier_is_pinned() throws Exception {
        Hedger hedger = Hedger.builder("pinned")
                .policy(after(50, 1).deadline(ofMillis(300)).build())
                .build();
        Object[] locks = new Object[2 * Runtime.getRuntime().availableProcessors()];
        List<Thread> callers = new ArrayList<>();
        AtomicInteger timedOut = new AtomicInteger();

        for (int i = 0; i < locks.length; i++) {
            Object lock = locks[i] = new Object();
            callers.add(Thread.ofPlatform().start(() -> {
                try {
                    hedger.call(attempt -> {
                        synchronized (lock) {
                            new CountDownLatch(1).await(2, TimeUnit.SECONDS);
                        }
                        return 1;
                    });
                } catch (HedgeException.TimedOut expected) {
                    timedOut.incrementAndGet();
                } catch (InterruptedException unexpected) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        for (Thread caller : callers) {
            caller.join();
        }

        assertThat(timedOut).hasValue(locks.length);
        hedger.close(Duration.ofSeconds(30));
        Laws.check(hedger.stats());
    }
}
