package dev.hedgescope.internal.time;

import java.time.Duration;

/** Arithmetic of durations and clock readings in nanoseconds. {@link Long#MAX_VALUE} stands for "for ever". */
public final class Nanos {

    /** For ever. */
    public static final long FOREVER = Long.MAX_VALUE;

    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
    private static final Duration SHORTEST = Duration.ofNanos(Long.MIN_VALUE);

    private Nanos() {}

    /** {@return the duration in nanoseconds, "for ever" if it does not fit; {@link Long#MIN_VALUE} at least} */
    public static long of(Duration duration) {
        if (duration.compareTo(LONGEST) >= 0) {
            return FOREVER;
        }
        return duration.compareTo(SHORTEST) <= 0 ? Long.MIN_VALUE : duration.toNanos();
    }

    /** {@return the time in words with a sensible unit and no more digits than matter: 950 us, 12 ms, 1500 ms, 41 s} */
    public static String words(long nanos) {
        if (nanos < 1_000_000) {
            return nanos / 1_000 + " us";
        }
        return nanos < 10_000_000_000L ? nanos / 1_000_000 + " ms" : nanos / 1_000_000_000 + " s";
    }
}
