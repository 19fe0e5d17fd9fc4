package dev.hedgescope;

import static dev.hedgescope.Stories.every;
import static dev.hedgescope.Stories.failsAfter;
import static dev.hedgescope.Stories.hedger;
import static dev.hedgescope.Stories.ms;
import static dev.hedgescope.Stories.named;
import static dev.hedgescope.Stories.takes;
import static dev.hedgescope.Stories.takesWhateverComes;
import static dev.hedgescope.Stories.told;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.hedgescope.Attempt.Task;
import dev.hedgescope.HedgePolicy.Losers;
import dev.hedgescope.laws.LawsExtension;
import dev.hedgescope.laws.Logs;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Stories of one call each, line by line: how it ends, what becomes of losers and of values. Every thread runs until it
 * waits, and those that can run take turns in order, so there is one way for each to go.
 */
@ExtendWith(LawsExtension.class)
class TranscriptsOfEndingsTest {

    @Test
    void the_deadline_ends_all_attempts_together() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(ledger, every(10).deadline(ms(25)));
            sim.log("got "
                    + catchThrowable(() -> hedger.call(takes(sim, ledger, 100, 100)))
                            .getMessage());
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "10 ms start #1",
                        "20 ms skip #2 ATTEMPTS",
                        "25 ms call timed out",
                        "25 ms got story: no acceptable result within 25 ms (#0 running; #1 running)",
                        "25 ms left #1",
                        "25 ms left #0");
    }

    @Test
    void an_awaiting_call_returns_when_the_last_loser_has_left() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(ledger, every(10).losers(Losers.AWAIT));
            sim.log("got " + hedger.call(takesWhateverComes(sim, ledger, 40, 5)));
        });

        assertThat(story)
                .containsExactly("0 ms start #0", "10 ms start #1", "15 ms won #1", "40 ms left #0", "40 ms got #1");
    }

    @Test
    void a_hook_comes_first_and_the_interrupt_after_the_grace() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(ledger, every(10).cancelGrace(ms(30)));
            Task<String, RuntimeException> task = ledger.task(attempt -> {
                if (attempt.isPrimary()) {
                    attempt.onCancel(ledger.hook(() -> sim.log("hook")));
                    sim.sleep(ms(1_000));
                }
                sim.sleep(ms(5));
                return named(attempt);
            });
            sim.log("got " + hedger.call(task));
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "10 ms start #1",
                        "15 ms won #1",
                        "15 ms got #1",
                        "15 ms hook",
                        "45 ms left #0");
    }

    @Test
    void a_straggler_is_reported_and_reported_gone(Logs logs) {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("story")
                    .policy(every(10).build())
                    .stragglerAfter(ms(50))
                    .build());
            sim.log("got " + hedger.call(takesWhateverComes(sim, ledger, 100, 5)));
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "10 ms start #1",
                        "15 ms won #1",
                        "15 ms got #1",
                        "65 ms straggler #0",
                        "100 ms left #0",
                        "100 ms straggler #0 gone");
        assertThat(logs.messages()).hasSize(2);
    }

    @Test
    void close_abandons_the_calls_in_flight_and_waits_for_their_threads() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(ledger, every(10));
            sim.start("caller", () -> {
                Throwable thrown = catchThrowable(() -> hedger.call(takesWhateverComes(sim, ledger, 40, 100)));
                sim.log("got " + thrown.getMessage());
            });
            sim.sleep(ms(20).minusNanos(1));
            hedger.close();
            sim.log("closed");
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "10 ms start #1",
                        "19 ms call abandoned",
                        "19 ms got story: the hedger is closed",
                        "40 ms left #0",
                        "110 ms left #1",
                        "110 ms closed");
    }

    @Test
    void a_call_inside_a_hedge_does_not_hedge_and_ends_at_the_deadline_around_it() {
        List<String> story = told((sim, ledger) -> {
            ledger.listener().tell((operation, line) -> sim.log(operation + " " + line));
            Hedger inner =
                    ledger.watch(ledger.hedger("inner").policy(every(5).build()).build());
            Hedger outer = ledger.watch(ledger.hedger("outer")
                    .policy(every(10).deadline(ms(30)).build())
                    .build());
            Task<String, RuntimeException> task = ledger.task(attempt -> {
                if (attempt.isPrimary()) {
                    sim.sleep(ms(100));
                }
                return inner.call(takes(sim, ledger, 100, 100));
            });
            sim.log("got " + catchThrowable(() -> outer.call(task)).getMessage());
        });

        assertThat(story)
                .containsExactly(
                        "0 ms outer start #0",
                        "10 ms outer start #1",
                        "10 ms inner start #0",
                        "15 ms inner skip #1 NESTED",
                        "20 ms outer skip #2 ATTEMPTS",
                        "30 ms inner call timed out",
                        "30 ms outer failed #1 TimedOut",
                        "30 ms outer call timed out",
                        "30 ms got outer: no acceptable result within 30 ms (#0 running; #1 TimedOut after 20 ms)",
                        "30 ms inner left #0",
                        "30 ms outer left #0");
    }

    @Test
    void a_refused_value_is_kept_and_returned_when_nothing_better_comes() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(ledger, every(10));
            try (HedgeScope<String> scope = hedger.open()) {
                scope.acceptIf(value -> value.startsWith("fresh")).onDiscard(ledger.discard());
                scope.fork(ledger.task(attempt -> {
                    sim.sleep(ms(5));
                    return "stale " + named(attempt);
                }));
                scope.fork(failsAfter(sim, ledger, 0, 3));
                sim.log("got " + ledger.delivered(scope.join()));
            }
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "5 ms refused value of #0",
                        "5 ms start #1",
                        "8 ms failed #1 IOException",
                        "8 ms call failed",
                        "8 ms got stale #0");
    }

    @Test
    void a_kept_value_is_discarded_when_a_better_one_comes() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(ledger, every(10));
            try (HedgeScope<String> scope = hedger.open()) {
                scope.acceptIf(value -> value.startsWith("fresh"))
                        .onDiscard(ledger.discard(value -> sim.log("discard " + value)));
                scope.fork(ledger.task(attempt -> "stale " + named(attempt)));
                scope.fork(ledger.task(attempt -> "fresh " + named(attempt)));
                sim.log("got " + ledger.delivered(scope.join()));
            }
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "0 ms refused value of #0",
                        "0 ms start #1",
                        "0 ms discard stale #0",
                        "0 ms won #1",
                        "0 ms got fresh #1");
    }
}
