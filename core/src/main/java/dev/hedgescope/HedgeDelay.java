package dev.hedgescope;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.List;

/** When the next hedge of a call is due, as long as nothing acceptable has come. */
public sealed interface HedgeDelay {

    /**
     * The next hedge is due so long after the latest attempt of the call entered its task. Zero is the same as
     * {@link #parallel()}.
     *
     * @param delay how long; too long for a {@code long} of nanoseconds means never
     * @throws IllegalArgumentException if it is negative
     */
    static HedgeDelay fixed(Duration delay) {
        return new Fixed(delay);
    }

    /**
     * Hedge number n is due at the n-th of these times since the primary entered its task. Further hedges come due by
     * failures alone.
     *
     * @param times the times, ascending
     * @throws IllegalArgumentException if there is none, if one is negative, or if they do not ascend
     */
    static HedgeDelay schedule(Duration... times) {
        return new Schedule(List.of(times));
    }

    /** {@return all attempts at once} */
    static HedgeDelay parallel() {
        return new Parallel();
    }

    /** {@return no hedge by time; a failure still makes the next one due} */
    static HedgeDelay never() {
        return new Never();
    }

    /**
     * A fixed delay since the latest attempt entered its task.
     *
     * @param delay how long
     */
    record Fixed(Duration delay) implements HedgeDelay {

        /** Makes the delay, refusing a negative one. */
        public Fixed {
            refuseNegative(delay);
        }
    }

    /**
     * Fixed times since the primary entered its task.
     *
     * @param times one for each hedge, ascending
     */
    record Schedule(List<Duration> times) implements HedgeDelay {

        /** Makes the schedule, refusing an empty one, negative times and times that do not ascend. */
        public Schedule {
            times = List.copyOf(times);
            if (times.isEmpty()) {
                throw new IllegalArgumentException("delay schedule must have at least one time");
            }
            Duration last = Duration.ZERO;
            for (Duration time : times) {
                refuseNegative(time);
                if (time.compareTo(last) < 0) {
                    throw new IllegalArgumentException("delay schedule must ascend, was " + times);
                }
                last = time;
            }
        }
    }

    /** All attempts at once. */
    record Parallel() implements HedgeDelay {}

    /** No hedge by time. */
    record Never() implements HedgeDelay {}

    private static void refuseNegative(Duration delay) {
        if (requireNonNull(delay, "delay").isNegative()) {
            throw new IllegalArgumentException("delay must not be negative, was " + delay);
        }
    }
}
