package dev.hedgescope;

import static dev.hedgescope.Stories.ms;
import static dev.hedgescope.Stories.takes;
import static dev.hedgescope.Stories.takesWhateverComes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.Attempt.Task;
import dev.hedgescope.laws.Laws;
import dev.hedgescope.laws.LawsExtension;
import dev.hedgescope.laws.Ledger;
import dev.hedgescope.testing.Simulation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The nine scenarios that say what hedging is, each in virtual time under many interleavings; the delay is 100 ms. */
@ExtendWith(LawsExtension.class)
class ScenariosTest {

    private static final HedgePolicy AFTER_100_MS =
            HedgePolicy.builder().delay(HedgeDelay.fixed(ms(100))).build();

    private static void underManySeeds(Laws.Body body) {
        Laws.runAll(Simulation.options(), 1, 100, body);
    }

    private static Hedger hedger(Ledger ledger) {
        return ledger.watch(ledger.hedger("scenario").policy(AFTER_100_MS).build());
    }

    @Test
    void the_primary_succeeds_before_the_delay() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger);

            String value = ledger.delivered(hedger.call(takes(sim, ledger, 50)));

            assertThat(value).isEqualTo("#0");
            assertThat(sim.millis()).isEqualTo(50);
            assertThat(hedger.stats().attempts()).isEqualTo(1);
            assertThat(hedger.stats().hedgesDue()).isZero();
        });
    }

    @Test
    void the_primary_is_slow_and_the_hedge_wins() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger);

            String value = ledger.delivered(hedger.call(takes(sim, ledger, 500, 20)));

            assertThat(value).isEqualTo("#1");
            assertThat(sim.millis()).isEqualTo(120);
            assertThat(hedger.stats().hedges()).isEqualTo(1);
            assertThat(hedger.stats().winsByNumber()).startsWith(0L, 1L);
        });
    }

    @Test
    void the_primary_fails_with_an_error_worth_hedging() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger);
            Task<String, IOException> task = ledger.task(attempt -> {
                sim.sleep(ms(10));
                if (attempt.isPrimary()) {
                    throw new IOException("connection reset");
                }
                return "from the hedge";
            });

            String value = ledger.delivered(hedger.call(task));

            assertThat(value).isEqualTo("from the hedge");
            assertThat(sim.millis()).isEqualTo(20);
            assertThat(hedger.stats().won()).isEqualTo(1);
        });
    }

    @Test
    void a_fatal_error_cancels_what_runs() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger);
            Error fatal = new StackOverflowError("fatal");
            Task<String, RuntimeException> task = ledger.task(attempt -> {
                sim.sleep(ms(attempt.isPrimary() ? 500 : 20));
                throw fatal;
            });

            assertThatThrownBy(() -> hedger.call(task)).isSameAs(fatal);

            assertThat(hedger.awaitQuiet(ms(1))).isTrue();
            assertThat(sim.millis()).isEqualTo(120);
            assertThat(hedger.stats().failed()).isEqualTo(1);
            assertThat(hedger.stats().outcomes()).containsEntry(Outcome.CANCELLED, 1L);
        });
    }

    @Test
    void the_budget_prevents_a_hedge() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("scenario")
                    .policy(AFTER_100_MS)
                    .budget(HedgeBudget.builder()
                            .ratio(0.1)
                            .burst(10)
                            .initial(0.5)
                            .runtime(sim.runtime())
                            .build())
                    .build());

            String value = ledger.delivered(hedger.call(takes(sim, ledger, 500)));

            assertThat(value).isEqualTo("#0");
            assertThat(sim.millis()).isEqualTo(500);
            assertThat(hedger.stats().hedges()).isZero();
            assertThat(hedger.stats().skips()).containsExactly(Map.entry(HedgeSkip.BUDGET, 1L));
            Laws.check(hedger);
            Laws.checkPurse(hedger.stats(), 0.5, 0.1, 10);
        });
    }

    @Test
    void the_caller_is_cancelled() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger);
            Thread caller = Thread.currentThread();
            sim.start("impatient", () -> {
                sim.sleep(ms(150));
                sim.interrupt(caller);
            });

            assertThatThrownBy(() -> hedger.call(takes(sim, ledger, 500, 500)))
                    .isInstanceOf(InterruptedException.class);

            assertThat(caller.isInterrupted()).isFalse();
            assertThat(hedger.awaitQuiet(ms(1))).isTrue();
            assertThat(sim.millis()).isEqualTo(150);
            assertThat(hedger.stats().abandoned()).isEqualTo(1);
            assertThat(hedger.stats().outcomes()).containsEntry(Outcome.CANCELLED, 2L);
        });
    }

    @Test
    void the_maximum_of_attempts_is_respected() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger);
            HedgePolicy three = AFTER_100_MS.toBuilder().maxAttempts(3).build();

            String value = ledger.delivered(hedger.call(three, takes(sim, ledger, 500, 500, 500)));

            assertThat(value).isEqualTo("#0");
            assertThat(sim.millis()).isEqualTo(500);
            assertThat(hedger.stats().startsByNumber()).startsWith(1L, 1L, 1L, 0L);
            assertThat(hedger.stats().skips()).containsExactly(Map.entry(HedgeSkip.ATTEMPTS, 1L));
        });
    }

    @Test
    void losers_receive_cancellation() {
        underManySeeds((sim, ledger) -> {
            Hedger hedger = hedger(ledger);
            List<String> received = new ArrayList<>();
            Task<String, RuntimeException> task = ledger.task(attempt -> {
                if (attempt.isPrimary()) {
                    attempt.onCancel(ledger.hook(() -> received.add("hook at " + sim.millis())));
                    try {
                        sim.sleep(ms(500));
                    } catch (InterruptedException e) {
                        received.add("interrupt at " + sim.millis());
                    }
                    received.add("cancelled " + attempt.isCancelled());
                } else {
                    sim.sleep(ms(20));
                }
                return Stories.named(attempt);
            });

            String value = ledger.delivered(hedger.call(task));

            assertThat(value).isEqualTo("#1");
            assertThat(hedger.awaitQuiet(ms(1_000))).isTrue();
            assertThat(received).containsExactly("hook at 120", "interrupt at 220", "cancelled true");
        });
    }

    @Test
    void a_loser_that_ignores_cancellation_keeps_its_permit_until_its_work_stops() {
        underManySeeds((sim, ledger) -> {
            Limiter limiter = ledger.limiter(Limiter.fixed(2, sim.runtime()));
            Hedger hedger = ledger.watch(ledger.hedger("scenario")
                    .policy(AFTER_100_MS)
                    .limiter(limiter)
                    .build());

            ledger.delivered(hedger.call(takesWhateverComes(sim, ledger, 500, 20)));
            sim.sleep(ms(370)); // 490 ms: the winner has long left, the loser has not

            assertThat(limiter.inUse()).isEqualTo(1);
            assertThat(hedger.stragglers())
                    .hasSize(1)
                    .first()
                    .satisfies(
                            straggler -> assertThat(straggler.sinceCancelled()).isEqualTo(ms(370)));
            sim.sleep(ms(20));
            assertThat(limiter.inUse()).isZero();
            assertThat(hedger.stragglers()).isEmpty();
        });
    }
}
