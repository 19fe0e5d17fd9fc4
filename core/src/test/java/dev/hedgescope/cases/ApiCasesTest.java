package dev.hedgescope.cases;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
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
import dev.hedgescope.testing.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Faults in how others are used and configured, restated; each cited by its public source. */
@ExtendWith(LawsExtension.class)
class ApiCasesTest {

    private static Arguments nonsense(String words, ThrowingCallable code) {
        return Arguments.of(words, code);
    }

    static Stream<Arguments> nonsense() {
        return Stream.of(
                nonsense(
                        "maxAttempts must be at least 1, was 0",
                        () -> HedgePolicy.builder().maxAttempts(0).build()),
                nonsense(
                        "maxAttempts must be at least 1, was -1",
                        () -> HedgePolicy.builder().maxAttempts(-1).build()),
                nonsense(
                        "maxAttempts must be at most 10, was 11",
                        () -> HedgePolicy.builder().maxAttempts(11).build()),
                nonsense(
                        "delay must not be negative, was PT-0.000000001S",
                        () -> HedgeDelay.fixed(Duration.ofNanos(-1))),
                nonsense(
                        "delay schedule must ascend, was [PT2S, PT1S]",
                        () -> HedgeDelay.schedule(Duration.ofSeconds(2), Duration.ofSeconds(1))),
                nonsense("delay schedule must have at least one time", HedgeDelay::schedule),
                nonsense(
                        "deadline must be more than zero, was PT0S",
                        () -> HedgePolicy.builder().deadline(Duration.ZERO).build()),
                nonsense(
                        "deadline must be more than zero, was PT-1S",
                        () -> HedgePolicy.builder()
                                .deadline(Duration.ofSeconds(-1))
                                .build()),
                nonsense(
                        "cancelGrace must not be negative, was PT-1S",
                        () -> HedgePolicy.builder()
                                .cancelGrace(Duration.ofSeconds(-1))
                                .build()),
                nonsense(
                        "permitWait must not be negative, was PT-1S",
                        () -> HedgePolicy.builder()
                                .permitWait(Duration.ofSeconds(-1))
                                .build()),
                nonsense("permits must not be negative, was -1", () -> Limiter.fixed(-1)),
                nonsense(
                        "limit must not be negative, was -1",
                        () -> Limiter.fixed(1).limit(-1)),
                nonsense("ratio must be between 0 and 1, was -0.1", () -> HedgeBudget.of(-0.1, 10)),
                nonsense("ratio must be between 0 and 1, was 1.1", () -> HedgeBudget.of(1.1, 10)),
                nonsense("burst must be between 0 and 1000000000, was -1.0", () -> HedgeBudget.of(0.1, -1)),
                nonsense(
                        "extraLoad must be a fraction, more than 0 and at most 0.5 (0.02 is two per cent), was 2.0",
                        () -> HedgeBudget.ofExtraLoad(2)),
                nonsense("name must not be blank", () -> Hedger.builder(" ")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("nonsense")
    @DisplayName("A-01, authzed/spicedb, scylladb/gocql#1076")
    void nonsense_is_refused_when_it_is_said(String words, ThrowingCallable code) {
        assertThatThrownBy(code).isInstanceOf(IllegalArgumentException.class).hasMessage(words);
    }

    @Test
    @DisplayName("A-01, what is allowed at the edge")
    @SuppressWarnings("NullAway") // nulls on purpose
    void edges_are_accepted_and_nulls_are_named() {
        assertThatCode(() -> {
                    HedgePolicy.builder()
                            .maxAttempts(1)
                            .delay(HedgeDelay.fixed(Duration.ZERO))
                            .build();
                    HedgePolicy.builder().maxAttempts(10).build();
                    HedgeBudget.of(0, 0);
                    HedgeBudget.of(1, 10);
                    Limiter.fixed(0);
                })
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> HedgePolicy.builder().delay(null).build())
                .isInstanceOf(NullPointerException.class)
                .hasMessage("delay");
        assertThatThrownBy(() -> HedgePolicy.builder().hedgeOn(null).build())
                .isInstanceOf(NullPointerException.class)
                .hasMessage("hedgeOn");
    }

    private static int marker() throws IOException {
        throw new IOException("mine");
    }

    @Test
    @DisplayName("A-02, failsafe-lib/failsafe#66")
    void a_checked_exception_keeps_its_type_and_its_frames() {
        Laws.runAll(Simulation.options(), 1, 50, (sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("case")
                    .policy(HedgePolicy.builder().maxAttempts(1).build())
                    .build());

            try {
                int unreachable = hedger.call(attempt -> marker());
                throw new AssertionError(unreachable);
            } catch (IOException e) {
                assertThat(e).hasMessage("mine").hasNoCause();
                assertThat(e.getStackTrace()[0].getMethodName()).isEqualTo("marker");
            }
        });
    }

    @Test
    @DisplayName("A-03, cristalhq/hedgedhttp#61: the default is documented as repeatable")
    void what_must_not_be_repeated_is_not() {
        for (boolean repeatable : new boolean[] {false, true}) {
            Laws.runAll(Simulation.options(), 1, 50, (sim, ledger) -> {
                AtomicInteger bodies = new AtomicInteger();
                Hedger hedger = ledger.watch(ledger.hedger("case")
                        .policy(HedgePolicy.builder()
                                .delay(HedgeDelay.fixed(ofMillis(1)))
                                .repeatable(repeatable)
                                .build())
                        .build());

                hedger.call(ledger.task(attempt -> {
                    bodies.incrementAndGet();
                    sim.sleep(ofMillis(100));
                    return "done";
                }));

                assertThat(bodies).hasValue(repeatable ? 2 : 1);
                assertThat(hedger.stats().skips())
                        .isEqualTo(Map.of(repeatable ? HedgeSkip.ATTEMPTS : HedgeSkip.NOT_REPEATABLE, 1L));
            });
        }
    }

    @Test
    @DisplayName("A-04, envoyproxy/envoy PR#12983")
    void a_deadline_shorter_than_the_delay_ends_the_call_unhedged() {
        Laws.runAll(Simulation.options(), 1, 50, (sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("case")
                    .policy(HedgePolicy.builder()
                            .delay(HedgeDelay.fixed(ofMillis(200)))
                            .deadline(ofMillis(50))
                            .maxAttempts(3)
                            .build())
                    .build());

            assertThatThrownBy(() -> hedger.call(ledger.task(attempt -> {
                        sim.sleep(ofMillis(1_000));
                        return "late";
                    })))
                    .isInstanceOf(HedgeException.TimedOut.class);

            assertThat(sim.millis()).isEqualTo(50);
            assertThat(hedger.stats().attempts()).isEqualTo(1);
            assertThat(hedger.stats().skips()).isEqualTo(Map.of(HedgeSkip.DEADLINE, 1L));
        });
    }

    @Test
    @DisplayName("A-05, failsafe-go")
    void one_builder_makes_two_policies_that_do_not_change_each_other() {
        HedgePolicy.Builder builder = HedgePolicy.builder().delay(HedgeDelay.fixed(ofMillis(10)));

        HedgePolicy first = builder.build();
        HedgePolicy second = builder.delay(HedgeDelay.fixed(Duration.ofSeconds(1)))
                .maxAttempts(1)
                .build();

        assertThat(first.delay()).isEqualTo(HedgeDelay.fixed(ofMillis(10)));
        assertThat(first.maxAttempts()).isEqualTo(2);
        assertThat(second.maxAttempts()).isEqualTo(1);
        assertThat(first.toBuilder().build())
                .isEqualTo(first)
                .hasSameHashCodeAs(first)
                .isNotEqualTo(second);
    }

    @Test
    @DisplayName("A-05, two hedgers of one builder share nothing that was not passed in")
    void two_hedgers_of_one_builder_have_their_own_budget() {
        Hedger.Builder builder = Hedger.builder("case");

        try (Hedger first = builder.build();
                Hedger second = builder.build()) {
            assertThat(first.stats().budgetBalance()).isBetween(0.0, 1.0);
            assertThat(first.stats().budgetBalance())
                    .isNotEqualTo(second.stats().budgetBalance());
        }
    }
}
