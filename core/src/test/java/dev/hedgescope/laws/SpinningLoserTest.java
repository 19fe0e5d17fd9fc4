package dev.hedgescope.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.Hedger;
import dev.hedgescope.Limiter;
import dev.hedgescope.Straggler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** A loser that spins for a while on its carrier, on real threads: half a second, ten in a thorough run. */
class SpinningLoserTest {

    private static final Duration SPIN = Duration.ofMillis(Boolean.getBoolean("hedgescope.thorough") ? 10_000 : 500);

    @Test
    void the_caller_has_its_answer_while_the_loser_spins_and_the_permit_is_held_until_it_stops() throws Exception {
        Limiter limiter = Limiter.fixed(2);
        AtomicBoolean spinning = new AtomicBoolean();
        try (Hedger hedger = Hedger.builder("spinning")
                .policy(HedgePolicy.builder()
                        .delay(HedgeDelay.fixed(Duration.ofMillis(20)))
                        .build())
                .budget(HedgeBudget.unlimited())
                .limiter(limiter)
                .build()) {

            String value = hedger.call(attempt -> {
                if (!attempt.isPrimary()) {
                    return "from the hedge";
                }
                spinning.set(true);
                long end = System.nanoTime() + SPIN.toNanos();
                while (System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
                spinning.set(false);
                return "too late";
            });

            assertThat(value).isEqualTo("from the hedge");
            assertThat(spinning).isTrue();
            assertThat(limiter.inUse()).isEqualTo(1);
            assertThat(hedger.stragglers()).singleElement().satisfies(SpinningLoserTest::isTheSpinner);
            assertThat(hedger.awaitQuiet(Duration.ofMinutes(1))).isTrue();
            assertThat(spinning).isFalse();
            assertThat(limiter.inUse()).isZero();
            assertThat(hedger.stats().cancelToExit().max()).isGreaterThan(SPIN.dividedBy(2));
            Laws.check(hedger);
        }
    }

    private static void isTheSpinner(Straggler straggler) {
        assertThat(straggler.operation()).isEqualTo("spinning");
        assertThat(straggler.attempt()).isZero();
        assertThat(straggler.sinceCancelled().toNanos()).isBetween(0L, TimeUnit.MINUTES.toNanos(1));
    }
}
