package dev.hedgescope.cases;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.Attempt;
import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgeListener;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeScope;
import dev.hedgescope.HedgeSkip;
import dev.hedgescope.Hedger;
import dev.hedgescope.Replica;
import dev.hedgescope.Replicas;
import dev.hedgescope.laws.Laws;
import dev.hedgescope.laws.LawsExtension;
import dev.hedgescope.laws.Ledger;
import dev.hedgescope.laws.Logs;
import dev.hedgescope.testing.Simulation;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults in which result comes out, restated for hedged calls; each cited by its public source. */
@ExtendWith(LawsExtension.class)
class CorrectnessCasesTest {

    private static void underManySeeds(Laws.Body body) {
        Laws.runAll(Simulation.options(), 1, 50, body);
    }

    private static HedgePolicy.Builder after(long millis, int attempts) {
        return HedgePolicy.builder().delay(HedgeDelay.fixed(ofMillis(millis))).maxAttempts(attempts);
    }

    private static Hedger hedger(Ledger ledger, HedgePolicy.Builder policy) {
        return ledger.watch(ledger.hedger("case").policy(policy.build()).build());
    }

    @Test
    @DisplayName("C-01, apache/cassandra-gocql-driver#1707, scylladb/scylla-rust-driver PR#228")
    void a_hedge_that_fails_fast_does_not_beat_a_slow_success() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(20, 2));

            String value = ledger.delivered(hedger.call(ledger.task(attempt -> {
                if (!attempt.isPrimary()) {
                    throw new IOException("at once");
                }
                sim.sleep(ofMillis(200));
                return "a";
            })));

            assertThat(value).isEqualTo("a");
            assertThat(sim.millis()).isEqualTo(200);
            assertThat(hedger.stats().winsByNumber()).startsWith(1L, 0L);
        });
    }

    private static final class NotFound extends Exception {
        private static final long serialVersionUID = 1;
    }

    @Test
    @DisplayName("C-02, Azure/azure-sdk-for-java PR#36508")
    void a_final_answer_that_is_an_error_comes_back_at_once() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(20, 3).hedgeOn(e -> !(e instanceof NotFound)));
            NotFound answer = new NotFound();
            List<String> interrupted = new ArrayList<>();

            assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> {
                        if (attempt.isPrimary()) {
                            try {
                                sim.sleep(ofSeconds(10));
                            } catch (InterruptedException e) {
                                interrupted.add("#0");
                            }
                        }
                        sim.sleep(ofMillis(10));
                        throw answer;
                    })))
                    .isSameAs(answer);

            assertThat(sim.millis()).isEqualTo(30);
            assertThat(hedger.awaitQuiet(ofSeconds(1))).isTrue();
            assertThat(interrupted).containsExactly("#0");
            assertThat(hedger.stats().attempts()).isEqualTo(2);
        });
    }

    @Test
    @DisplayName("C-03, App-vNext/Polly, cristalhq/hedgedhttp: the first attempt's failure comes out")
    void when_all_attempts_fail_no_failure_is_lost() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(5, 4).onFailure(HedgePolicy.OnFailure.KEEP_SCHEDULE));
            long[] ends = {30, 50, 20, 40};
            List<IOException> failures =
                    List.of(new IOException("e0"), new IOException("e1"), new IOException("e2"), new IOException("e3"));

            assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> {
                        sim.sleep(ofMillis(ends[attempt.number()] - sim.millis()));
                        throw failures.get(attempt.number());
                    })))
                    .isSameAs(failures.get(0))
                    .satisfies(e -> assertThat(e.getSuppressed())
                            .containsExactly(failures.get(1), failures.get(2), failures.get(3)));

            assertThat(hedger.stats().hedges()).isEqualTo(3);
        });
    }

    @Test
    @DisplayName("C-04, apache/cassandra-java-driver JAVA-3167, prestodb/presto PR#1746")
    void attempts_may_throw_the_very_same_exception() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(1, 3));
            IOException shared = new IOException("shared");

            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> {
                            throw shared;
                        })))
                        .isSameAs(shared);
            }

            assertThat(shared.getSuppressed()).isEmpty();
        });
    }

    @Test
    @DisplayName("C-05, resilience4j/resilience4j PR#700")
    void null_is_a_value() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(50, 2));

            Object value = hedger.call(ledger.task(attempt -> {
                sim.sleep(ofMillis(5));
                return null;
            }));

            assertThat(value).isNull();
            assertThat(sim.millis()).isEqualTo(5);
            assertThat(hedger.stats().winsByNumber()).startsWith(1L);
        });
    }

    @Test
    @DisplayName("C-06, apache/cassandra-java-driver JAVA-724; C-08, JAVA-1490: no delay means together")
    void all_attempts_of_a_call_have_one_identity_and_with_no_delay_run_together() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(0, 3).deadline(ofSeconds(5)));
            Set<Long> calls = new HashSet<>();
            Set<Instant> deadlines = new HashSet<>();
            Set<Integer> numbers = new HashSet<>();

            hedger.call(ledger.task(attempt -> {
                calls.add(attempt.callId());
                deadlines.add(attempt.deadline());
                numbers.add(attempt.number());
                while (numbers.size() < 3) {
                    sim.sleep(ofMillis(1));
                }
                return "together";
            }));

            assertThat(calls).hasSize(1);
            assertThat(deadlines).hasSize(1);
            assertThat(numbers).containsExactlyInAnyOrder(0, 1, 2);
            assertThat(sim.millis()).isLessThan(5);
        });
    }

    @Test
    @DisplayName("C-09, App-vNext/Polly PR#1625")
    void a_hedge_is_told_of_only_if_it_starts() {
        List<String> told = new ArrayList<>();
        Laws.run(Simulation.options().orderly(), 1, (sim, ledger) -> {
            ledger.listener().tell((String line) -> told.add(line));
            Hedger hedger = hedger(ledger, after(1, 3));

            assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> {
                        throw new IOException("e" + attempt.number());
                    })))
                    .hasMessage("e0");
        });

        assertThat(told).filteredOn(line -> line.startsWith("start")).hasSize(3);
    }

    @Test
    @DisplayName("C-10, go-resty/resty PR#1197, cristalhq/hedgedhttp PR#1, failsafe-go/failsafe-go#65")
    void the_winner_is_never_interrupted() throws Exception {
        int rounds = Boolean.getBoolean("hedgescope.thorough") ? 10_000 : 200;
        try (Hedger hedger = Hedger.builder("case")
                .budget(HedgeBudget.unlimited())
                .policy(after(1, 2).build())
                .build()) {
            for (int i = 0; i < rounds; i++) {
                int jitter = i % 100;
                boolean interrupted = hedger.call(attempt -> {
                    try {
                        new CountDownLatch(1).await(attempt.isPrimary() ? 1_950 + jitter : 950, TimeUnit.MICROSECONDS);
                    } catch (InterruptedException loser) {
                        return true;
                    }
                    return Thread.interrupted();
                });
                assertThat(interrupted).isFalse();
            }
            Laws.check(hedger);
        }
    }

    @Test
    @DisplayName("C-11, App-vNext/Polly; C-12, failsafe-lib/failsafe#136: a discard that throws changes nothing")
    void a_discarded_value_is_discarded_once_whatever_the_discard_does(Logs logs) {
        logs.expect();
        for (boolean throwing : new boolean[] {false, true}) {
            underManySeeds((sim, ledger) -> {
                Hedger hedger = hedger(ledger, after(10, 2));
                List<String> discarded = new ArrayList<>();

                try (HedgeScope<String> scope = hedger.open()) {
                    scope.onDiscard(ledger.discard(value -> {
                        discarded.add(value);
                        if (throwing) {
                            throw new IllegalStateException("x");
                        }
                    }));
                    scope.fork(ledger.task(attempt -> {
                        sim.sleepUninterruptibly(ofMillis(100));
                        return "R" + 0;
                    }));
                    scope.fork(ledger.task(attempt -> {
                        sim.sleep(ofMillis(20));
                        return "R" + 1;
                    }));
                    assertThat(ledger.delivered(scope.join())).isEqualTo("R1");
                }

                assertThat(hedger.awaitQuiet(ofSeconds(1))).isTrue();
                assertThat(discarded).containsExactly("R0");
                assertThat(hedger.stats().collaboratorFailures()).isEqualTo(throwing ? 1 : 0);
            });
        }
    }

    @Test
    @DisplayName(
            "C-14, grpc/grpc-java PR#10007, scylladb/scylladb#7342: a failure makes the next hedge due at once, or not")
    void a_primary_that_fails_before_the_delay_is_hedged_by_the_policys_choice() {
        for (HedgePolicy.OnFailure choice : HedgePolicy.OnFailure.values()) {
            underManySeeds((sim, ledger) -> {
                Hedger hedger = hedger(ledger, after(1_000, 2).onFailure(choice));

                String value = ledger.delivered(hedger.call(ledger.task(attempt -> {
                    sim.sleep(ofMillis(5));
                    if (attempt.isPrimary()) {
                        throw new IOException("first");
                    }
                    return "b";
                })));

                assertThat(value).isEqualTo("b");
                assertThat(sim.millis()).isEqualTo(10); // nothing else runs, so both mean at once
            });
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, LinkageError.class, AssertionError.class})
    @DisplayName("C-15, failsafe-lib/failsafe#182")
    void an_error_comes_out_as_it_is_at_once(Class<? extends Error> type) throws Exception {
        Error error = type.getDeclaredConstructor().newInstance();
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(1_000, 2));

            assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> {
                        throw error;
                    })))
                    .isSameAs(error);

            assertThat(hedger.stats().attempts()).isEqualTo(1);
        });
    }

    @Test
    @DisplayName("C-16, failsafe-lib/failsafe#136, App-vNext/Polly: a listener that throws changes no result")
    void a_listener_that_throws_changes_no_result(Logs logs) {
        logs.expect();
        underManySeeds((sim, ledger) -> {
            HedgeListener throwing = new HedgeListener() {
                @Override
                public void onAttemptStarted(AttemptStarted event) {
                    if (event.attempt() > 0) {
                        throw new IllegalStateException("listener");
                    }
                }
            };
            Hedger hedger = ledger.watch(Hedger.builder("case")
                    .runtime(ledger.runtime())
                    .budget(HedgeBudget.unlimited())
                    .listener(throwing)
                    .policy(after(10, 2).build())
                    .build());

            String value = ledger.delivered(hedger.call(ledger.task(attempt -> {
                sim.sleep(ofMillis(attempt.isPrimary() ? 60 : 500));
                return "#" + attempt.number();
            })));

            assertThat(value).isEqualTo("#0");
            assertThat(sim.millis()).isEqualTo(60);
            assertThat(hedger.stats().hedges()).isEqualTo(1);
            assertThat(hedger.stats().collaboratorFailures()).isEqualTo(1);
        });
    }

    @Test
    @DisplayName("C-17, AutoMQ/automq PR#2382: a predicate on replicas that throws, or that leaves none")
    void a_hedge_that_has_nowhere_to_go_is_a_skip(Logs logs) {
        logs.expect();
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(10, 2));
            Replicas<String> replicas = Replicas.of(List.of(new Replica<>("only", "", "a")), sim.runtime());

            String value = hedger.call(
                    replicas.available(replica -> {
                        throw new IllegalStateException("unwell");
                    }),
                    (attempt, resource) -> {
                        sim.sleep(ofMillis(80));
                        return resource;
                    });

            assertThat(value).isEqualTo("a");
            assertThat(hedger.stats().skips()).containsOnlyKeys(HedgeSkip.REPLICA);
            assertThat(hedger.stats().collaboratorFailures()).isEqualTo(1);
        });
    }

    @Test
    @DisplayName("C-18, Azure/azure-cosmos-dotnet-v3#4737")
    void a_caller_that_is_interrupted_already_starts_nothing() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(10, 2));
            sim.interrupt(Thread.currentThread());

            assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> "never")))
                    .isInstanceOf(InterruptedException.class);

            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            assertThat(hedger.stats().attempts()).isZero();
            assertThat(hedger.stats().abandoned()).isEqualTo(1);
        });
    }

    @Test
    @DisplayName("C-19, authzed/spicedb, dotnet/extensions#5699")
    void a_caller_that_is_interrupted_while_it_waits_leaves_no_attempt_behind() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(10, 3));
            List<Integer> interrupted = new ArrayList<>();
            Thread caller = Thread.currentThread();
            sim.start("interrupter", () -> {
                sim.sleep(ofMillis(50));
                sim.interrupt(caller);
            });

            assertThatThrownBy(() -> hedger.call(ledger.task((Attempt attempt) -> {
                        try {
                            sim.sleep(ofSeconds(60));
                        } catch (InterruptedException e) {
                            interrupted.add(attempt.number());
                        }
                        return "late";
                    })))
                    .isInstanceOf(InterruptedException.class);

            assertThat(sim.millis()).isEqualTo(50);
            assertThat(hedger.awaitQuiet(ofSeconds(1))).isTrue();
            assertThat(interrupted).containsExactlyInAnyOrder(0, 1, 2);
        });
    }

    @Test
    @DisplayName(
            "C-20, microprofile/microprofile-fault-tolerance#322; C-13, V-05: started against decided, in real time")
    void a_successful_call_leaves_the_callers_interrupt_flag_alone() throws Exception {
        int rounds = Boolean.getBoolean("hedgescope.thorough") ? 10_000 : 200;
        try (Hedger hedger = Hedger.builder("case")
                .budget(HedgeBudget.unlimited())
                .policy(after(1, 2).build())
                .build()) {
            for (int i = 0; i < rounds; i++) {
                hedger.call(attempt -> {
                    if (attempt.isPrimary()) {
                        new CountDownLatch(1).await();
                    }
                    return 1;
                });
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
            }
            Laws.check(hedger);
            assertThat(hedger.stats().interrupts()).isEqualTo(rounds);
        }
    }

    @Test
    @DisplayName("C-21, failsafe-lib/failsafe#63")
    void a_tasks_own_interrupted_exception_is_a_failure_like_others() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger, after(10, 2));

            String value = ledger.delivered(hedger.call(ledger.task(attempt -> {
                sim.sleep(ofMillis(5));
                if (attempt.isPrimary()) {
                    throw new InterruptedException("mine");
                }
                return "b";
            })));

            assertThat(value).isEqualTo("b");
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }
}
