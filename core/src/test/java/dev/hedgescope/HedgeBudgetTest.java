package dev.hedgescope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.hedgescope.testing.Simulation;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HedgeBudgetTest {

    @Test
    void a_token_pays_for_one_hedge() {
        HedgeBudget budget = HedgeBudget.builder().initial(2.5).build();

        assertThat(budget.tryWithdraw()).isTrue();
        assertThat(budget.tryWithdraw()).isTrue();
        assertThat(budget.tryWithdraw()).isFalse();
        assertThat(budget.balance()).isEqualTo(0.5);
    }

    @Test
    void deposits_add_the_ratio_up_to_the_burst() {
        HedgeBudget budget =
                HedgeBudget.builder().ratio(0.3).burst(2).initial(1).build();

        budget.deposit();
        assertThat(budget.balance()).isEqualTo(1.3);
        for (int i = 0; i < 100; i++) {
            budget.deposit();
            assertThat(budget.balance()).isLessThanOrEqualTo(2);
        }

        assertThat(budget.balance()).isEqualTo(2);
    }

    @Test
    void a_refund_never_fills_the_purse_above_its_burst() {
        HedgeBudget budget = HedgeBudget.builder().burst(2).initial(1.5).build();

        budget.refund();
        budget.refund();

        assertThat(budget.balance()).isEqualTo(2);
    }

    @Test
    void no_more_than_the_burst_is_kept_of_the_start() {
        assertThat(HedgeBudget.builder().burst(3).initial(7).build().balance()).isEqualTo(3);
        assertThat(HedgeBudget.of(0.1, 0).balance()).isZero();
    }

    @Test
    void a_fresh_purse_holds_a_uniform_random_part_of_a_token() {
        int[] tenths = new int[10];
        Simulation.orderly(sim -> {
            for (int i = 0; i < 10_000; i++) {
                double balance = HedgeBudget.of(0.1, 10, sim.runtime()).balance();
                tenths[(int) (balance * 10)]++;
            }
        });

        for (int tenth : tenths) {
            assertThat(tenth).isCloseTo(1_000, within(200));
        }
    }

    @Test
    void an_outage_stops_hedging_by_itself() {
        HedgeBudget budget = HedgeBudget.builder().initial(10).build();
        int hedges = 0;
        for (int i = 0; i < 10_000; i++) {
            hedges += budget.tryWithdraw() ? 1 : 0;
        }

        assertThat(hedges).isEqualTo(10);
    }

    @Test
    void threads_that_share_a_purse_withdraw_no_token_twice() throws InterruptedException {
        HedgeBudget budget =
                HedgeBudget.builder().ratio(0.25).burst(1e9).initial(1_000).build();
        AtomicInteger hedges = new AtomicInteger();
        Racer[] racers = Racer.start(4, () -> {
            for (int i = 0; i < 20_000; i++) {
                if (budget.tryWithdraw()) {
                    hedges.incrementAndGet();
                }
                budget.deposit();
            }
        });

        Racer.joinAll(racers);

        assertThat(hedges.get() + budget.balance()).isEqualTo(1_000 + 4 * 20_000 * 0.25);
    }

    @Test
    void unlimited_never_refuses_and_none_always() {
        HedgeBudget unlimited = HedgeBudget.unlimited();
        HedgeBudget none = HedgeBudget.none();
        none.deposit();
        none.refund();
        unlimited.deposit();
        unlimited.refund();

        assertThat(unlimited.tryWithdraw()).isTrue();
        assertThat(unlimited.balance()).isInfinite();
        assertThat(none.tryWithdraw()).isFalse();
        assertThat(none.balance()).isZero();
        assertThat(unlimited).hasToString("HedgeBudget[unlimited]");
        assertThat(none).hasToString("HedgeBudget[none, balance 0.0]");
    }

    @Test
    void extra_load_is_a_ratio_with_a_burst_of_ten() {
        HedgeBudget budget = HedgeBudget.ofExtraLoad(0.02);

        assertThat(budget.ratio()).isEqualTo(0.02);
        assertThat(budget.burst()).isEqualTo(10);
        assertThat(budget.balance()).isLessThan(1);
    }

    @Test
    void a_purse_says_its_terms_and_its_balance() {
        HedgeBudget.Builder builder =
                HedgeBudget.builder().ratio(1.0 / 3).burst(10).initial(2);

        assertThat(builder.build()).hasToString("HedgeBudget[ratio 0.333333, burst 10.0, balance 2.0]");
        assertThat(HedgeBudget.builder().initial(0).floorPerSecond(0.5).build().toString())
                .startsWith("HedgeBudget[ratio 0.1, burst 10.0, floor 0.5/s, balance ");
    }

    @Test
    void a_floor_lets_a_quiet_client_hedge() {
        Simulation.orderly(sim -> {
            HedgeBudget budget = HedgeBudget.builder()
                    .initial(0)
                    .floorPerSecond(0.5)
                    .runtime(sim.runtime())
                    .build();

            assertThat(budget.tryWithdraw()).isFalse();
            sim.sleep(Duration.ofSeconds(2));
            assertThat(budget.balance()).isEqualTo(1);
            assertThat(budget.tryWithdraw()).isTrue();
            assertThat(budget.tryWithdraw()).isFalse();
        });
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, 0.000001, 0.5, 1})
    void sensible_ratios_are_kept_as_they_are(double ratio) {
        assertThat(HedgeBudget.of(ratio, 10).ratio()).isEqualTo(ratio);
    }

    @ParameterizedTest
    @CsvSource({
        "-0.1, must be between 0 and 1",
        "1.1, must be between 0 and 1",
        "NaN, must be between 0 and 1",
        "Infinity, must be between 0 and 1",
        "1.0E-7, must be 0 or at least a millionth"
    })
    void nonsensical_ratios_are_refused(double ratio, String words) {
        assertThatThrownBy(() -> HedgeBudget.of(ratio, 10))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ratio " + words + ", was " + ratio);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-1, 1.1e9, Double.NaN, Double.POSITIVE_INFINITY})
    void nonsensical_amounts_are_refused(double value) {
        HedgeBudget.Builder builder = HedgeBudget.builder();

        assertThatThrownBy(() -> builder.burst(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("burst must be between 0 and 1000000000, was " + value);
        assertThatThrownBy(() -> builder.initial(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("initial must be between 0 and 1000000000, was " + value);
        assertThatThrownBy(() -> builder.floorPerSecond(value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("floorPerSecond must be between 0 and 1000, was " + value);
    }

    @ParameterizedTest
    @ValueSource(doubles = {-0.1, 0, 0.51, 2, Double.NaN})
    void extra_loads_are_fractions_up_to_a_half(double extraLoad) {
        assertThatThrownBy(() -> HedgeBudget.ofExtraLoad(extraLoad))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("extraLoad must be a fraction, more than 0 and at most 0.5 (0.02 is two per cent), was "
                        + extraLoad);
    }

    @Test
    void no_runtime_is_refused_by_name() {
        assertThatThrownBy(() -> HedgeBudget.builder().runtime(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("runtime");
    }
}
