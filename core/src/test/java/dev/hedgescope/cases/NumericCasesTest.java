package dev.hedgescope.cases;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofNanos;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.Attempt;
import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgeException;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.Hedger;
import dev.hedgescope.Limiter;
import dev.hedgescope.laws.Laws;
import dev.hedgescope.laws.LawsExtension;
import dev.hedgescope.laws.Ledger;
import dev.hedgescope.testing.Simulation;
import dev.hedgescope.testing.SimulationOptions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults of arithmetic, restated; each cited by its public source. */
@ExtendWith(LawsExtension.class)
class NumericCasesTest {

    private static final SimulationOptions ORDERLY = Simulation.options().orderly();

    private static Hedger hedger(Ledger ledger, HedgePolicy.Builder policy) {
        return ledger.watch(ledger.hedger("case").policy(policy.build()).build());
    }

    private static Attempt.Task<String, RuntimeException> takes(Simulation sim, Ledger ledger, Duration time) {
        return ledger.task(attempt -> {
            sim.sleep(time);
            return "#" + attempt.number();
        });
    }

    static List<Duration> forEver() {
        return List.of(ofSeconds(Long.MAX_VALUE), ChronoUnit.FOREVER.getDuration(), ofNanos(Long.MAX_VALUE));
    }

    @ParameterizedTest
    @MethodSource("forEver")
    @DisplayName("N-01, resilience4j/resilience4j#1701; N-02, questdb/questdb PR#1909")
    void for_ever_is_a_duration(Duration forEver) {
        Laws.run(ORDERLY, 1, (sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("case")
                    .limiter(ledger.limiter(Limiter.fixed(1, sim.runtime())))
                    .stragglerAfter(forEver)
                    .policy(HedgePolicy.builder()
                            .delay(HedgeDelay.fixed(forEver))
                            .deadline(forEver)
                            .permitWait(forEver)
                            .cancelGrace(forEver)
                            .build())
                    .build());

            String value = ledger.delivered(hedger.call(takes(sim, ledger, ofMillis(20))));

            assertThat(value).isEqualTo("#0");
            assertThat(sim.millis()).isEqualTo(20);
            assertThat(hedger.stats().hedges()).isZero();
            assertThat(hedger.awaitQuiet(forEver)).isTrue();
        });
    }

    @Test
    @DisplayName("N-02, apache/solr SOLR-17663")
    void a_deadline_holds_across_the_wrap_of_the_clock() {
        Laws.run(Simulation.options().orderly().clockWrapsAfter(ofSeconds(1)), 1, (sim, ledger) -> {
            Hedger hedger = hedger(
                    ledger,
                    HedgePolicy.builder()
                            .delay(HedgeDelay.fixed(ofMillis(1_500)))
                            .deadline(ofSeconds(5)));

            assertThatThrownBy(() -> hedger.call(takes(sim, ledger, ofSeconds(60))))
                    .isInstanceOf(HedgeException.TimedOut.class);

            assertThat(sim.millis()).isEqualTo(5_000);
            assertThat(hedger.stats().hedges()).isEqualTo(1);
        });
    }

    @Test
    @DisplayName("N-03, Azure/azure-cosmos-dotnet-v3 PR#4471")
    void steps_are_totals_and_units_are_kept() {
        assertThat(entries(ofMillis(1_500), 3)).containsExactly(0L, 1_500_000L, 3_000_000L);
        assertThat(entries(ofSeconds(1).plus(500, ChronoUnit.MICROS), 2)).containsExactly(0L, 1_000_500L);
    }

    /** {@return when the attempts entered their task, in microseconds} */
    private static List<Long> entries(Duration delay, int attempts) {
        List<Long> entries = new ArrayList<>();
        Laws.run(ORDERLY, 1, (sim, ledger) -> {
            long begin = sim.runtime().nanoTime();
            Hedger hedger = hedger(
                    ledger, HedgePolicy.builder().delay(HedgeDelay.fixed(delay)).maxAttempts(attempts));
            hedger.call(ledger.task(attempt -> {
                entries.add((sim.runtime().nanoTime() - begin) / 1_000);
                sim.sleep(ofSeconds(60));
                return "done";
            }));
        });
        return entries;
    }

    @ParameterizedTest
    @ValueSource(longs = {999_999, 1})
    @DisplayName("N-04, envoyproxy/envoy#13153, Kotlin/kotlinx.coroutines PR#3921")
    void less_than_a_millisecond_is_not_zero(long nanos) {
        Laws.run(ORDERLY, 1, (sim, ledger) -> {
            Hedger hedger = hedger(ledger, HedgePolicy.builder().delay(HedgeDelay.fixed(ofNanos(nanos))));
            List<Long> entries = new ArrayList<>();

            hedger.call(ledger.task(attempt -> {
                entries.add(sim.runtime().nanoTime());
                sim.sleep(ofMillis(20));
                return "done";
            }));

            assertThat(entries).hasSize(2);
            assertThat(entries.get(1) - entries.get(0)).isGreaterThanOrEqualTo(nanos);
        });
    }

    @Test
    @DisplayName("N-04, a deadline below a millisecond")
    void a_deadline_below_a_millisecond_is_one() {
        Laws.run(ORDERLY, 1, (sim, ledger) -> {
            long begin = sim.runtime().nanoTime();
            Hedger hedger = hedger(ledger, HedgePolicy.builder().deadline(ofNanos(999_999)));

            assertThatThrownBy(() -> hedger.call(takes(sim, ledger, ofMillis(20))))
                    .isInstanceOf(HedgeException.TimedOut.class);

            assertThat(sim.runtime().nanoTime() - begin).isEqualTo(999_999);
        });
    }

    @ParameterizedTest
    @ValueSource(longs = {1_400, 10_000, 10_100, 25_900})
    @DisplayName("N-05, nodejs/node#26578")
    void a_hedge_is_never_early(long micros) throws Exception {
        int rounds = Boolean.getBoolean("hedgescope.thorough") ? 5_000 : 10;
        Duration delay = Duration.of(micros, ChronoUnit.MICROS);
        try (Hedger hedger = Hedger.builder("case")
                .budget(HedgeBudget.unlimited())
                .policy(HedgePolicy.builder().delay(HedgeDelay.fixed(delay)).build())
                .build()) {
            for (int i = 0; i < rounds; i++) {
                long[] entered = new long[2];
                hedger.call(attempt -> {
                    entered[attempt.number()] = System.nanoTime();
                    if (attempt.isPrimary()) {
                        new CountDownLatch(1).await();
                    }
                    return 1;
                });
                // The attempt's own reading comes before the task's, so the time between the tasks' may be shorter by
                // that little.
                assertThat(entered[1] - entered[0]).isGreaterThan(delay.toNanos() - 1_000_000);
            }
            Laws.check(hedger);
        }
    }

    @Test
    @DisplayName("N-06, HdrHistogram/HdrHistogram#198")
    void a_clock_that_steps_back_does_no_harm() {
        Laws.run(ORDERLY, 1, (sim, ledger) -> {
            Hedger hedger = hedger(ledger, HedgePolicy.builder().delay(HedgeDelay.fixed(ofMillis(10))));

            String value = ledger.delivered(hedger.call(ledger.task(attempt -> {
                sim.jumpClock(ofMillis(-1));
                return "done";
            })));

            assertThat(value).isEqualTo("done");
        });
    }
}
