package dev.hedgescope;

import static dev.hedgescope.Stories.ms;
import static dev.hedgescope.Stories.named;
import static dev.hedgescope.Stories.replicas;
import static dev.hedgescope.Stories.takesWhateverComes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.hedgescope.Attempt.ReplicaTask;
import dev.hedgescope.laws.Laws;
import dev.hedgescope.laws.LawsExtension;
import dev.hedgescope.laws.Ledger;
import dev.hedgescope.laws.Logs;
import dev.hedgescope.testing.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The words that reach users in exceptions and logs, letter by letter. */
@ExtendWith(LawsExtension.class)
class MessagesTest {

    private static final HedgePolicy WITHIN_200_MS = HedgePolicy.builder()
            .delay(HedgeDelay.fixed(ms(100)))
            .deadline(ms(200))
            .build();

    private static void orderly(Laws.Body body) {
        Laws.run(Simulation.options().orderly(), 0, body);
    }

    private static Hedger.Builder quotes(Ledger ledger, Limiter limiter) {
        return ledger.hedger("pricing.quote").policy(WITHIN_200_MS).limiter(limiter);
    }

    private static Replicas<String> databases(Simulation sim) {
        return replicas(
                sim.runtime(),
                List.of(new Replica<>("db-a", "eu-1/zone-a", "a"), new Replica<>("db-b", "eu-1/zone-b", "b")));
    }

    /** Leaves so many stragglers behind, each a primary that works on for a minute. */
    private static void leaveStragglers(int count, Simulation sim, Ledger ledger, Hedger hedger) {
        HedgePolicy impatient =
                WITHIN_200_MS.toBuilder().maxAttempts(1).deadline(ms(1)).build();
        for (int i = 0; i < count; i++) {
            assertThatThrownBy(() -> hedger.call(impatient, takesWhateverComes(sim, ledger, 60_000)))
                    .isInstanceOf(HedgeException.TimedOut.class);
        }
    }

    @Test
    void a_call_that_times_out_says_how_each_attempt_stands_and_what_is_held(Logs logs) {
        orderly((sim, ledger) -> {
            Hedger hedger =
                    ledger.watch(quotes(ledger, Limiter.fixed(8, sim.runtime())).build());
            leaveStragglers(1, sim, ledger, hedger);
            ReplicaTask<String, String, IOException> task = (attempt, database) -> {
                sim.sleep(ms(attempt.isPrimary() ? 500 : 12));
                throw new IOException("reset by " + database);
            };

            Throwable thrown = catchThrowable(() -> hedger.call(databases(sim), task));

            assertThat(thrown)
                    .isInstanceOf(HedgeException.TimedOut.class)
                    .hasMessage("pricing.quote: no acceptable result within 200 ms"
                            + " (#0 db-a running; #1 db-b IOException after 12 ms); 2 of 8 permits held, 1 straggler");
            assertThat(thrown.getSuppressed())
                    .singleElement()
                    .satisfies(suppressed -> assertThat(suppressed).hasMessage("reset by b"));
        });
        logs.expect();
    }

    @Test
    void a_call_that_times_out_without_limiter_or_stragglers_says_no_more_than_it_knows() {
        orderly((sim, ledger) -> {
            Hedger hedger = ledger.watch(
                    ledger.hedger("pricing.quote").policy(WITHIN_200_MS).build());

            assertThatThrownBy(() -> hedger.call(Stories.takes(sim, ledger, 500, 500)))
                    .hasMessage("pricing.quote: no acceptable result within 200 ms (#0 running; #1 running)");
        });
    }

    @Test
    void a_refused_call_says_who_holds_the_permits(Logs logs) {
        orderly((sim, ledger) -> {
            Limiter limiter = Limiter.fixed(8, sim.runtime());
            Hedger hedger = ledger.watch(quotes(ledger, limiter).build());
            leaveStragglers(6, sim, ledger, hedger);
            List<Limiter.Permit> others = List.of(limiter.tryAcquire(), limiter.tryAcquire());
            sim.sleep(Duration.ofSeconds(41));

            assertThatThrownBy(() -> hedger.call(attempt -> "not run"))
                    .isInstanceOf(HedgeException.Refused.class)
                    .hasMessage("pricing.quote: primary refused, all 8 permits are held,"
                            + " 6 by stragglers (oldest 41 s)");
            others.forEach(Limiter.Permit::ignore);
        });
        logs.expect();
    }

    @Test
    void a_refused_call_says_when_there_is_no_straggler() {
        orderly((sim, ledger) -> {
            Hedger hedger =
                    ledger.watch(quotes(ledger, Limiter.fixed(0, sim.runtime())).build());

            assertThatThrownBy(() -> hedger.call(attempt -> "not run"))
                    .hasMessage("pricing.quote: primary refused, all 0 permits are held");
        });
    }

    @Test
    void a_call_without_an_available_replica_says_so() {
        orderly((sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("pricing.quote").build());

            assertThatThrownBy(() ->
                            hedger.call(databases(sim).available(replica -> false), (attempt, database) -> database))
                    .isInstanceOf(HedgeException.Refused.class)
                    .hasMessage("pricing.quote: primary refused, no replica is available");
        });
    }

    @Test
    void a_straggler_is_logged_once_with_its_stack_and_once_when_it_leaves(Logs logs) {
        orderly((sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("pricing.quote")
                    .policy(WITHIN_200_MS.toBuilder().maxAttempts(1).build())
                    .build());
            ReplicaTask<String, String, RuntimeException> deaf = (attempt, database) -> {
                sim.sleepUninterruptibly(Duration.ofSeconds(45).plus(ms(200)));
                return named(attempt);
            };
            assertThatThrownBy(() -> hedger.call(databases(sim), deaf)).isInstanceOf(HedgeException.TimedOut.class);

            sim.sleep(Duration.ofHours(1));
        });

        List<LogRecord> records = logs.records();
        assertThat(logs.messages())
                .containsExactly(
                        "pricing.quote: attempt 0 on db-a still running 30 s after it was cancelled",
                        "pricing.quote: attempt 0 on db-a left 45 s after it was cancelled");
        assertThat(records).extracting(LogRecord::getLevel).containsExactly(Level.WARNING, Level.INFO);
        assertThat(records.getFirst().getThrown().getStackTrace())
                .extracting(StackTraceElement::getClassName)
                .contains(MessagesTest.class.getName());
        assertThat(records.getLast().getThrown()).isNull();
    }

    @Test
    void a_listener_that_throws_is_logged_once(Logs logs) {
        orderly((sim, ledger) -> {
            Hedger hedger = ledger.watch(Hedger.builder("pricing.quote")
                    .runtime(ledger.runtime())
                    .listener(new HedgeListener() {
                        @Override
                        public void onAttemptStarted(AttemptStarted event) {
                            throw new IllegalStateException("of the listener");
                        }
                    })
                    .build());

            hedger.call(attempt -> "first");
            hedger.call(attempt -> "second");

            assertThat(hedger.stats().collaboratorFailures()).isEqualTo(2);
        });

        assertThat(logs.messages())
                .containsExactly("pricing.quote: a listener threw; this is counted, changes no result,"
                        + " and is not logged again");
        assertThat(logs.records().getFirst().getThrown()).hasMessage("of the listener");
    }

    @Test
    void a_policy_that_cannot_work_is_refused_with_its_field_and_value() {
        HedgePolicy.Builder policy = HedgePolicy.builder();

        assertThatThrownBy(() -> policy.maxAttempts(0).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("maxAttempts must be at least 1, was 0");
        assertThatThrownBy(() -> policy.maxAttempts(11).build()).hasMessage("maxAttempts must be at most 10, was 11");
        assertThatThrownBy(() -> policy.maxAttempts(2).deadline(Duration.ZERO).build())
                .hasMessage("deadline must be more than zero, was PT0S");
        assertThatThrownBy(() -> HedgeDelay.fixed(ms(-1))).hasMessage("delay must not be negative, was PT-0.001S");
    }

    @Test
    void a_scope_used_by_another_thread_names_both() {
        List<Throwable> thrown = new ArrayList<>();
        orderly((sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("pricing.quote").build());
            sim.join(sim.start("http-3", () -> {
                try (HedgeScope<String> scope = hedger.open()) {
                    sim.join(sim.start(
                            "http-7", () -> thrown.add(catchThrowable(() -> scope.fork(attempt -> "not run")))));
                }
            }));
        });

        assertThat(thrown)
                .singleElement()
                .satisfies(wrong -> assertThat(wrong)
                        .isInstanceOf(WrongThreadException.class)
                        .hasMessage("HedgeScope is used by 'http-7' but was opened by 'http-3'"));
    }

    @Test
    void a_scope_whose_attempts_failed_says_how() {
        orderly((sim, ledger) -> {
            Hedger hedger =
                    ledger.watch(quotes(ledger, Limiter.fixed(8, sim.runtime())).build());
            IOException failure = new IOException("of #0");
            try (HedgeScope<String> scope = hedger.open()) {
                scope.fork(attempt -> {
                    sim.sleep(ms(3));
                    throw failure;
                });

                assertThatThrownBy(scope::join)
                        .isInstanceOf(HedgeException.Failed.class)
                        .hasMessage("pricing.quote: failed (#0 IOException after 3 ms); 0 of 8 permits held")
                        .hasCause(failure);
            }
        });
    }

    @Test
    void a_closed_hedger_and_one_closed_by_its_own_thread_say_so() {
        orderly((sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("pricing.quote").build());

            Throwable thrown = catchThrowable(() -> hedger.call(attempt -> {
                hedger.close();
                return "not reached";
            }));

            assertThat(thrown)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("pricing.quote: the hedger is closed");
            assertThat(thrown.getSuppressed())
                    .extracting(Throwable::getMessage)
                    .containsExactly("pricing.quote: close was called by 'pricing.quote#0', a thread of this hedger or"
                            + " of a call made inside one, which cannot wait for itself");
            assertThatThrownBy(() -> hedger.call(attempt -> "not run"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("pricing.quote: the hedger is closed");
        });
    }
}
