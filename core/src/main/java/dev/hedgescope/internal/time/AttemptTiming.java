package dev.hedgescope.internal.time;

import dev.hedgescope.Attempt.Registration;
import dev.hedgescope.HedgeRuntime;

/**
 * What an adapter of ours may know of an attempt beyond {@link dev.hedgescope.Attempt}: whose clock it runs by, and
 * when it is interrupted. Every attempt that the library hands to a task implements it.
 */
public interface AttemptTiming {

    /** {@return the runtime of the attempt's hedger} */
    HedgeRuntime runtime();

    /** {@return the time from its cancellation to its interrupt, in nanoseconds; {@link Nanos#FOREVER} for never} */
    long interruptAfter();

    /**
     * Has an interrupt wait for the policy's grace, as a registered hook has, but runs nothing. It has no effect on an
     * attempt that is cancelled already: look at {@code isCancelled} afterwards.
     *
     * @return what ends it
     */
    Registration holdInterrupt();
}
