package dev.hedgescope.laws;

import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgePolicy;
import java.time.Duration;
import java.util.random.RandomGenerator;

/** Policies in every combination of their fields, with times that fit those of {@link RandomTask}. */
final class RandomPolicies {

    private RandomPolicies() {}

    /** A failure that {@code hedgeOn} refuses. */
    static final class Fatal extends Exception {
        private static final long serialVersionUID = 1;

        Fatal() {
            super("fatal");
        }
    }

    static HedgePolicy policy(Witness witness) {
        RandomGenerator random = witness.random;
        int attempts = random.nextInt(1, 5);
        HedgePolicy.Builder builder = HedgePolicy.builder()
                .maxAttempts(attempts)
                .delay(delay(random, attempts))
                .hedgeOn(failure -> hedgesOn(witness, failure))
                .losers(random.nextInt(3) == 0 ? HedgePolicy.Losers.AWAIT : HedgePolicy.Losers.HAND_OVER)
                .interruptLosers(random.nextInt(8) != 0)
                .cancelGrace(Duration.ofMillis(random.nextInt(4) == 0 ? 0 : random.nextInt(20)))
                .onFailure(random.nextBoolean() ? HedgePolicy.OnFailure.HEDGE_NOW : HedgePolicy.OnFailure.KEEP_SCHEDULE)
                .permitWait(Duration.ofMillis(random.nextBoolean() ? 0 : random.nextInt(1, 20)))
                .nested(random.nextBoolean())
                .repeatable(random.nextInt(20) != 0)
                .mode(random.nextInt(20) == 0 ? HedgePolicy.Mode.OFF : HedgePolicy.Mode.ACTIVE);
        if (random.nextInt(3) == 0) {
            builder.deadline(Duration.ofMillis(random.nextInt(1, 30)));
        }
        return builder.build();
    }

    private static HedgeDelay delay(RandomGenerator random, int attempts) {
        return switch (random.nextInt(attempts > 1 ? 6 : 5)) {
            case 0 -> HedgeDelay.never();
            case 1 -> HedgeDelay.parallel();
            case 2 -> HedgeDelay.fixed(Duration.ZERO);
            case 3, 4 -> HedgeDelay.fixed(Duration.ofMillis(random.nextInt(1, 12)));
            default -> HedgeDelay.schedule(Duration.ofMillis(random.nextInt(10)));
        };
    }

    private static boolean hedgesOn(Witness witness, Exception failure) {
        witness.expectNoInterrupt("hedgeOn");
        witness.sim.point();
        if (witness.chance(0.02)) {
            throw witness.injected(new IllegalArgumentException("hedgeOn"));
        }
        return !(failure instanceof Fatal);
    }
}
