package dev.hedgescope;

import dev.hedgescope.internal.admission.FixedLimiter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A gate on concurrency: one permit for each running attempt, settled once, by the thread that ran under it, after its
 * work has really stopped.
 *
 * <p>Pass the same limiter to every hedger that uses the same dependency. Implement the interface to adapt another
 * limiter; its promises are spelled out method by method, and all methods may be called by any thread at any time.
 */
public interface Limiter {

    /**
     * Returns a limiter with a fixed number of permits, which can be changed while it is in use.
     *
     * <p>Who waits is served first come first served, except that {@link #tryAcquire} may overtake. What a thread did
     * before it settled a permit happens-before whatever another does with the same permit afterwards.
     *
     * @param permits how many permits, 0 or more; with 0 every call is refused
     * @throws IllegalArgumentException if {@code permits} is negative
     */
    static Adjustable fixed(int permits) {
        return fixed(permits, HedgeRuntime.system());
    }

    /**
     * Returns a limiter with a fixed number of permits, whose waiters park through the given runtime.
     *
     * @param permits how many permits, 0 or more
     * @param runtime the runtime through which waiters park
     * @throws IllegalArgumentException if {@code permits} is negative
     */
    static Adjustable fixed(int permits, HedgeRuntime runtime) {
        return new FixedLimiter(permits, runtime);
    }

    /**
     * {@return a permit for a primary, or null if none is free} Never waits; may overtake those who wait in
     * {@link #acquire}.
     */
    @Nullable
    Permit tryAcquire();

    /**
     * {@return a permit for a hedge, or null if hedges have to keep out at present} Never waits; may be refused earlier
     * than a primary.
     */
    default @Nullable Permit tryAcquireHedge() {
        return tryAcquire();
    }

    /**
     * Returns a permit for a primary, waiting for one if none is free, first come first served.
     *
     * @param wait how long to wait at most; zero or less does not wait
     * @return the permit, or null if none came in time
     * @throws InterruptedException if the thread is interrupted on entry or while it waits; it then holds no permit
     */
    @Nullable
    Permit acquire(Duration wait) throws InterruptedException;

    /** {@return how many permits may be held at once at present} */
    int limit();

    /** {@return how many permits are held; more than {@link #limit()} for a while after the limit was lowered} */
    int inUse();

    /**
     * The right to run one attempt. It has to be settled by exactly one of the three verbs.
     *
     * <p>A second settlement throws {@link IllegalStateException}, which names the first, and changes nothing.
     */
    interface Permit {

        /** Gives the permit back; the attempt ended by itself, its duration is a sample. */
        void success();

        /** Gives the permit back; how the attempt ended says nothing of the dependency's load. */
        void ignore();

        /** Gives the permit back; the dependency showed overload: it timed out, or turned the attempt away. */
        void drop();
    }

    /** A limiter whose limit can be set while it is in use. */
    interface Adjustable extends Limiter {

        /**
         * Sets the limit. Permits that are held stay valid: after lowering it, new ones are given only once fewer than
         * the new limit are held; after raising it, those who wait are served at once. Never blocks.
         *
         * @param newLimit the new limit, 0 or more
         * @throws IllegalArgumentException if {@code newLimit} is negative
         */
        void limit(int newLimit);
    }
}
