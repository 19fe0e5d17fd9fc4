package dev.hedgescope;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hedgescope.testing.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The purse: what goes in, what comes out, what time adds, and that nothing is lost between threads. */
class HedgeBudgetTest {

    private static int drain(HedgeBudget budget) {
        int tokens = 0;
        while (budget.tryWithdraw()) {
            tokens++;
        }
        return tokens;
    }

    @Test
    void an_empty_purse_refuses_until_deposits_make_a_token() {
        HedgeBudget budget =
                HedgeBudget.builder().ratio(0.25).burst(2).initial(0).build();

        assertThat(budget.tryWithdraw()).isFalse();
        for (int i = 0; i < 4; i++) {
            budget.deposit();
        }

        assertThat(drain(budget)).isEqualTo(1);
        assertThat(budget.balance()).isZero();
    }

    @Test
    void neither_deposits_nor_refunds_fill_it_above_its_burst() {
        HedgeBudget budget =
                HedgeBudget.builder().ratio(1).burst(2).initial(100).build();

        budget.deposit();
        budget.refund();

        assertThat(budget.balance()).isEqualTo(2);
        assertThat(drain(budget)).isEqualTo(2);
    }

    @Test
    void it_starts_with_a_random_part_of_one_token() {
        List<Double> starts = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            starts.add(HedgeBudget.of(0.1, 10).balance());
        }

        assertThat(starts).allMatch(start -> start >= 0 && start < 1);
        assertThat(starts.stream().mapToDouble(Double::doubleValue).average().orElseThrow())
                .isBetween(0.4, 0.6);
    }

    @Test
    void unlimited_never_refuses_and_none_always_does() {
        HedgeBudget none = HedgeBudget.none();
        none.deposit();
        none.refund();

        assertThat(HedgeBudget.unlimited().tryWithdraw()).isTrue();
        assertThat(HedgeBudget.unlimited().balance()).isEqualTo(Double.POSITIVE_INFINITY);
        assertThat(none.tryWithdraw()).isFalse();
        assertThat(none.balance()).isZero();
    }

    @Test
    void a_floor_pays_by_the_clock_and_loses_nothing_to_small_steps() {
        Simulation.run(1, sim -> {
            HedgeBudget budget = HedgeBudget.builder()
                    .ratio(0)
                    .burst(10)
                    .initial(0)
                    .floorPerSecond(5)
                    .runtime(sim.runtime())
                    .build();
            int tokens = 0;

            for (int i = 0; i < 10_000; i++) {
                sim.sleep(ofMillis(1));
                tokens += budget.tryWithdraw() ? 1 : 0;
            }

            assertThat(tokens).isBetween(49, 50);
        });
    }

    @Test
    void a_floor_fills_no_more_than_the_burst_and_a_clock_that_goes_back_pays_nothing() {
        Simulation.run(1, sim -> {
            HedgeBudget budget = HedgeBudget.builder()
                    .ratio(0)
                    .burst(3)
                    .initial(0)
                    .floorPerSecond(5)
                    .runtime(sim.runtime())
                    .build();

            sim.sleep(ofSeconds(3_600));
            assertThat(drain(budget)).isEqualTo(3);
            sim.jumpClock(ofSeconds(-10));

            assertThat(budget.tryWithdraw()).isFalse();
        });
    }

    @Test
    void threads_never_spend_a_token_twice() throws Exception {
        HedgeBudget budget =
                HedgeBudget.builder().ratio(0.1).burst(1e6).initial(0).build();
        AtomicInteger spent = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();

        for (int t = 0; t < 16; t++) {
            threads.add(Thread.ofVirtual().start(() -> {
                for (int i = 0; i < 1_000; i++) {
                    budget.deposit();
                    spent.addAndGet(budget.tryWithdraw() ? 1 : 0);
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(spent.get() + budget.balance()).isEqualTo(1_600);
    }
}
