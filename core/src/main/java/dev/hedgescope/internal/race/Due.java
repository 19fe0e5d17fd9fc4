package dev.hedgescope.internal.race;

import dev.hedgescope.HedgeDelay;
import dev.hedgescope.internal.time.Nanos;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** When the next hedge of a call is due by time: the arithmetic of the delays. Used by the caller's thread alone. */
final class Due {

    /** The soonest to ask again for a permit. */
    private static final long ASK_AGAIN = TimeUnit.MILLISECONDS.toNanos(10);

    /** The soonest to look again at an attempt that has not entered its task. */
    private static final long LOOK_AGAIN = TimeUnit.MICROSECONDS.toNanos(100);

    private Due() {}

    /**
     * {@return the time until the next hedge is due; zero or less: it is due since then}
     *
     * @param fresh whether an attempt was started just now: it entered its task no earlier, so no clock is needed
     */
    static long in(Launcher call, boolean fresh) {
        return switch (call.policy.delay()) {
            case HedgeDelay.Never never -> Nanos.FOREVER;
            case HedgeDelay.Parallel parallel -> together(call);
            case HedgeDelay.Fixed fixed ->
                fixed.delay().isZero() ? together(call) : sinceLatest(call, Nanos.of(fixed.delay()), fresh);
            case HedgeDelay.Schedule schedule -> sincePrimary(call, schedule);
        };
    }

    /** {@return how long after a hedge found no permit to ask again: one delay, but at least 10 ms} */
    static long askAgainAfter(HedgeDelay delay) {
        return switch (delay) {
            case HedgeDelay.Never never -> Nanos.FOREVER;
            case HedgeDelay.Parallel parallel -> ASK_AGAIN;
            case HedgeDelay.Fixed fixed -> Math.max(ASK_AGAIN, Nanos.of(fixed.delay()));
            case HedgeDelay.Schedule schedule ->
                Math.max(ASK_AGAIN, Nanos.of(schedule.times().getFirst()));
        };
    }

    private static long together(Launcher call) {
        return call.attemptCount() < call.most() ? 0 : Nanos.FOREVER;
    }

    /** Counts since the latest entry of any attempt into its task; one that has not entered yet puts it off. */
    private static long sinceLatest(Launcher call, long delay, boolean fresh) {
        if (fresh || delay == Nanos.FOREVER) {
            return delay;
        }
        long now = call.core.runtime.nanoTime();
        long sinceLatest = Nanos.FOREVER;
        for (AttemptRun attempt = call.newest(); attempt != null; attempt = attempt.older()) {
            if (!attempt.hasEntered()) {
                return Math.max(delay, LOOK_AGAIN);
            }
            sinceLatest = Math.min(sinceLatest, now - attempt.enteredAt());
        }
        return delay - sinceLatest;
    }

    private static long sincePrimary(Launcher call, HedgeDelay.Schedule schedule) {
        int next = call.attemptCount() - 1;
        if (next >= schedule.times().size()) {
            return Nanos.FOREVER;
        }
        long time = Nanos.of(schedule.times().get(next));
        AttemptRun primary = Objects.requireNonNull(call.newest());
        while (primary.older() != null) {
            primary = primary.older();
        }
        if (time == Nanos.FOREVER || !primary.hasEntered()) {
            return Math.max(time, LOOK_AGAIN);
        }
        return time - (call.core.runtime.nanoTime() - primary.enteredAt());
    }
}
