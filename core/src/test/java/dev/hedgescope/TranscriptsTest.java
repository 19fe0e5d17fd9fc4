package dev.hedgescope;

import static dev.hedgescope.Stories.every;
import static dev.hedgescope.Stories.failsAfter;
import static dev.hedgescope.Stories.hedger;
import static dev.hedgescope.Stories.ms;
import static dev.hedgescope.Stories.replicas;
import static dev.hedgescope.Stories.takes;
import static dev.hedgescope.Stories.takesWhateverComes;
import static dev.hedgescope.Stories.told;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.hedgescope.HedgePolicy.OnFailure;
import dev.hedgescope.laws.LawsExtension;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Stories of one call each, line by line: who starts when and why, and who wins. Every thread runs until it waits, and
 * those that can run take turns in order, so there is one way for each to go.
 */
@ExtendWith(LawsExtension.class)
class TranscriptsTest {

    @Test
    void the_hedge_overtakes_a_primary_that_does_not_listen() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(ledger, every(10));
            sim.log("got " + hedger.call(takesWhateverComes(sim, ledger, 20, 5)));
        });

        assertThat(story)
                .containsExactly("0 ms start #0", "10 ms start #1", "15 ms won #1", "15 ms got #1", "20 ms left #0");
    }

    @Test
    void the_winner_reports_before_a_loser_that_listens_leaves() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(ledger, every(10));
            sim.log("got " + hedger.call(takes(sim, ledger, 20, 5)));
        });

        assertThat(story)
                .containsExactly("0 ms start #0", "10 ms start #1", "15 ms won #1", "15 ms got #1", "15 ms left #0");
    }

    @Test
    void a_schedule_counts_from_the_primarys_entry() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(
                    ledger,
                    HedgePolicy.builder()
                            .delay(HedgeDelay.schedule(ms(10), ms(13)))
                            .maxAttempts(3));
            sim.log("got " + hedger.call(takes(sim, ledger, 100, 100, 2)));
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "10 ms start #1",
                        "13 ms start #2",
                        "15 ms won #2",
                        "15 ms got #2",
                        "15 ms left #1",
                        "15 ms left #0");
    }

    @Test
    void parallel_starts_all_at_once() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(
                    ledger, HedgePolicy.builder().delay(HedgeDelay.parallel()).maxAttempts(3));
            sim.log("got " + hedger.call(takesWhateverComes(sim, ledger, 9, 3, 6)));
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "0 ms start #1",
                        "0 ms start #2",
                        "3 ms won #1",
                        "3 ms got #1",
                        "6 ms left #2",
                        "9 ms left #0");
    }

    @Test
    void without_a_delay_each_failure_starts_the_next() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(
                    ledger, HedgePolicy.builder().delay(HedgeDelay.never()).maxAttempts(3));
            Throwable thrown = catchThrowable(() -> hedger.call(failsAfter(sim, ledger, 5, 6, 7)));
            sim.log("got " + thrown.getMessage() + " and " + thrown.getSuppressed().length + " more");
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "5 ms failed #0 IOException",
                        "5 ms start #1",
                        "11 ms failed #1 IOException",
                        "11 ms start #2",
                        "18 ms failed #2 IOException",
                        "18 ms call failed",
                        "18 ms got #0 and 2 more");
    }

    @Test
    void a_kept_schedule_ignores_a_failure_while_another_attempt_runs() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(
                    ledger,
                    HedgePolicy.builder()
                            .delay(HedgeDelay.schedule(ms(0), ms(20)))
                            .maxAttempts(3)
                            .onFailure(OnFailure.KEEP_SCHEDULE));
            sim.log("got "
                    + catchThrowable(() -> hedger.call(failsAfter(sim, ledger, 5, 30, 30)))
                            .getMessage());
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "0 ms start #1",
                        "5 ms failed #0 IOException",
                        "20 ms start #2",
                        "30 ms failed #1 IOException",
                        "50 ms failed #2 IOException",
                        "50 ms call failed",
                        "50 ms got #0");
    }

    @Test
    void a_kept_schedule_gives_way_when_nothing_runs() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(ledger, every(20).onFailure(OnFailure.KEEP_SCHEDULE));
            sim.log("got " + hedger.call(failsAfter(sim, ledger, 5)));
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "5 ms failed #0 IOException",
                        "5 ms start #1",
                        "25 ms skip #2 ATTEMPTS",
                        "1005 ms won #1",
                        "1005 ms got #1");
    }

    @Test
    void a_primary_waits_for_its_permit_and_is_hedged_from_its_start() {
        List<String> story = told((sim, ledger) -> {
            Limiter.Adjustable limiter = Limiter.fixed(0, sim.runtime());
            Hedger hedger = ledger.watch(ledger.hedger("story")
                    .policy(every(10).permitWait(ms(50)).build())
                    .limiter(ledger.limiter(limiter))
                    .build());
            sim.start("operator", () -> {
                sim.sleep(ms(30));
                limiter.limit(2);
            });
            sim.log("got " + hedger.call(takes(sim, ledger, 20, 5)));
        });

        assertThat(story)
                .containsExactly("30 ms start #0", "40 ms start #1", "45 ms won #1", "45 ms got #1", "45 ms left #0");
    }

    @Test
    void a_hedge_without_a_permit_is_skipped_once_and_asked_again_one_delay_later() {
        List<String> story = told((sim, ledger) -> {
            Limiter.Adjustable limiter = Limiter.fixed(1, sim.runtime());
            Hedger hedger = ledger.watch(ledger.hedger("story")
                    .policy(every(10).build())
                    .limiter(ledger.limiter(limiter))
                    .build());
            sim.start("operator", () -> {
                sim.sleep(ms(25));
                limiter.limit(2);
            });
            sim.log("got " + hedger.call(takes(sim, ledger, 100, 5)));
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0",
                        "10 ms skip #1 PERMIT",
                        "30 ms start #1",
                        "35 ms won #1",
                        "35 ms got #1",
                        "35 ms left #0");
    }

    @Test
    void each_hedge_goes_to_the_replica_in_the_farthest_failure_domain() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = hedger(ledger, every(10).maxAttempts(5));
            Replicas<String> replicas = replicas(
                    sim.runtime(),
                    List.of(
                            new Replica<>("a", "eu/zone-1/rack-1", "A"),
                            new Replica<>("b", "eu/zone-1/rack-1", "B"),
                            new Replica<>("c", "eu/zone-1/rack-2", "C"),
                            new Replica<>("d", "eu/zone-2/rack-1", "D"),
                            new Replica<>("e", "us/zone-1/rack-1", "E")));
            sim.log("got "
                    + hedger.call(replicas, (attempt, resource) -> {
                        sim.sleepUninterruptibly(ms(45));
                        return resource;
                    }));
        });

        assertThat(story)
                .containsExactly(
                        "0 ms start #0 a",
                        "10 ms start #1 e",
                        "20 ms start #2 d",
                        "30 ms start #3 c",
                        "40 ms start #4 b",
                        "45 ms won #0 a",
                        "45 ms got A",
                        "55 ms left #1 e",
                        "65 ms left #2 d",
                        "75 ms left #3 c",
                        "85 ms left #4 b");
    }

    @Test
    void an_empty_purse_ends_hedging_for_the_call() {
        List<String> story = told((sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("story")
                    .policy(every(10).maxAttempts(3).build())
                    .budget(HedgeBudget.none())
                    .build());
            sim.log("got " + hedger.call(takes(sim, ledger, 50)));
        });

        assertThat(story).containsExactly("0 ms start #0", "10 ms skip #1 BUDGET", "50 ms won #0", "50 ms got #0");
    }
}
