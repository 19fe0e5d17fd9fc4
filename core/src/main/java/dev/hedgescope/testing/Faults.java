package dev.hedgescope.testing;

import dev.hedgescope.internal.time.Nanos;
import java.util.SplittableRandom;

/**
 * Draws what goes wrong, from its own stream: a fault more or less does not change the schedule of what comes after.
 */
final class Faults {

    private final SimulationOptions options;
    private final SplittableRandom random;

    Faults(SimulationOptions options, SplittableRandom random) {
        this.options = options;
        this.random = random;
    }

    /**
     * {@return how long a park asked to last {@code nanos} lasts if nobody ends it}
     *
     * <p>A spurious wake-up comes at once or, if there is an end to the park, at some time before. Not later in a park
     * without end: that would hide a lost unpark, which is to be found as a deadlock.
     */
    long park(long nanos) {
        if (!happens(options.spuriousRate)) {
            return nanos;
        }
        return nanos == Nanos.FOREVER || random.nextBoolean() ? 0 : random.nextLong(nanos);
    }

    /** {@return how long the running thread is held up at this point, 0 for not at all} */
    long stall() {
        return happens(options.stallRate) ? random.nextLong(options.longestStall) + 1 : 0;
    }

    /** {@return how much too late this unpark comes, 0 for not at all} */
    long lateness() {
        return happens(options.lateRate) ? random.nextLong(options.longestLateness) + 1 : 0;
    }

    /** {@return whether a thread of this name is to start} */
    boolean starts(String name) {
        return !happens(options.startFailureRate) && !options.startFails.test(name);
    }

    private boolean happens(double rate) {
        return rate > 0 && random.nextDouble() < rate;
    }
}
