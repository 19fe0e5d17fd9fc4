package dev.hedgescope;

import dev.hedgescope.internal.time.SystemRuntime;

/**
 * The one door through which time, threads, waiting, interrupts and chance enter the library: six verbs.
 *
 * <p>{@link #system()} serves production; {@link dev.hedgescope.testing.Simulation} supplies one whose time is virtual
 * and whose threads run one at a time. Implement it to count, to delay or to inject faults.
 *
 * <p>Assumptions of the library, which an implementation has to meet:
 *
 * <ol>
 *   <li>{@link #nanoTime()} differs between two readings by the time that passed between them. Zero, negative values
 *       and wrap-around are fine, since only differences are used.
 *   <li>{@link #start} has started the thread when it returns normally. When it throws, or returns null, the body will
 *       never run; should it run all the same, it does nothing.
 *   <li>{@link #park} and {@link #unpark} pair like {@link java.util.concurrent.locks.LockSupport}: an unpark that
 *       comes first makes the next park return at once; park may return for no reason, and returns at once while the
 *       thread's interrupt flag is set, leaving the flag as it is.
 *   <li>Nothing here blocks for longer than asked, and no verb calls back into the library.
 * </ol>
 */
public interface HedgeRuntime {

    /**
     * {@return the runtime of production: the system clock, virtual threads, the JDK's parking and pseudo-random
     * numbers}
     */
    static HedgeRuntime system() {
        return SystemRuntime.INSTANCE;
    }

    /** {@return the clock in nanoseconds, from an arbitrary origin} */
    long nanoTime();

    /**
     * Starts a new thread.
     *
     * @param name the thread's name
     * @param body what it runs; it never throws
     * @return the started thread
     */
    Thread start(String name, Runnable body);

    /**
     * Parks the calling thread until it is unparked, interrupted, or the time is over; it may also return for no
     * reason.
     *
     * @param nanos how long at most, in nanoseconds: 0 or less returns at once, {@link Long#MAX_VALUE} waits without
     *     limit
     */
    void park(long nanos);

    /**
     * Lets the thread's present or next {@link #park} return.
     *
     * @param thread a thread that may be of any origin, also one that has ended
     */
    void unpark(Thread thread);

    /**
     * Interrupts the thread.
     *
     * @param thread a thread made by {@link #start}
     */
    void interrupt(Thread thread);

    /** {@return a pseudo-random number, uniform over all values of {@code long}} */
    long nextRandom();
}
