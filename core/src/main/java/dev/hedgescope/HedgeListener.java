package dev.hedgescope;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Is told what happens to calls and attempts. Every method does nothing by default.
 *
 * <p>Which thread runs what, and so what a listener that blocks delays:
 *
 * <ul>
 *   <li>{@link #onAttemptStarted}: the attempt's thread, before it enters the task; delays this attempt.
 *   <li>{@link #onAttemptEnded}: the attempt's thread, after the result is visible to the caller; delays quiet and
 *       {@code close}.
 *   <li>{@link #onHedgeSkipped}: the caller's thread; delays its call.
 *   <li>{@link #onCallEnded}: after the losers are cancelled, on the thread of the attempt that decided the call, else
 *       on the caller's.
 *   <li>{@link #onStraggler}: a thread of its own; delays {@code close}.
 * </ul>
 *
 * <p>What a listener throws never changes a result: it is counted, and logged once per kind and hedger. A call that a
 * listener makes inside an attempt's event belongs to that attempt.
 */
public interface HedgeListener {

    /**
     * An attempt is about to enter its task. Each has its {@link AttemptEnded}, maybe with
     * {@link Outcome#NEVER_STARTED}.
     *
     * @param event what is known of it
     */
    default void onAttemptStarted(AttemptStarted event) {}

    /**
     * An attempt has ended, and its permit has been given back.
     *
     * @param event what is known of it
     */
    default void onAttemptEnded(AttemptEnded event) {}

    /**
     * A hedge was due and was not started.
     *
     * @param event what is known of it
     */
    default void onHedgeSkipped(HedgeSkipped event) {}

    /**
     * A cancelled attempt has not left its task for longer than the hedger's {@code stragglerAfter}, or has left it
     * now.
     *
     * @param event what is known of it
     */
    default void onStraggler(StragglerSeen event) {}

    /**
     * A call was decided, and its losers were cancelled.
     *
     * @param event what is known of it
     */
    default void onCallEnded(CallEnded event) {}

    /** Why a hedge is due. */
    enum Trigger {
        /** Nothing acceptable came for so long. */
        DELAY,
        /** An attempt failed, or its value was refused. */
        FAILURE
    }

    /** How a call ended. */
    enum CallOutcome {
        /** The caller got an accepted value. */
        WON,
        /** The caller got a failure, or a refused value since nothing better came. */
        FAILED,
        /** The deadline passed. */
        TIMED_OUT,
        /** The caller was interrupted, its scope was closed without a join, or the hedger was closed. */
        ABANDONED,
        /** There was no permit, or no replica, for its primary. */
        REFUSED
    }

    /**
     * An attempt is about to enter its task.
     *
     * @param operation the hedger's name
     * @param call the call's number
     * @param attempt the attempt's number within the call
     * @param replica the name of its replica, or null
     * @param trigger why the hedge was started; empty for a primary
     */
    record AttemptStarted(
            String operation,
            long call,
            int attempt,
            @Nullable String replica,
            Optional<Trigger> trigger) {}

    /**
     * An attempt has ended.
     *
     * @param operation the hedger's name
     * @param call the call's number
     * @param attempt the attempt's number within the call
     * @param replica the name of its replica, or null
     * @param outcome how it ended
     * @param latency the time it spent in its task; zero if it never entered it
     * @param failure what the task threw, or null
     */
    record AttemptEnded(
            String operation,
            long call,
            int attempt,
            @Nullable String replica,
            Outcome outcome,
            Duration latency,
            @Nullable Throwable failure) {}

    /**
     * A hedge was due and was not started.
     *
     * @param operation the hedger's name
     * @param call the call's number
     * @param attempt the number it would have had
     * @param trigger why it was due
     * @param reason why it was not started
     */
    record HedgeSkipped(String operation, long call, int attempt, Trigger trigger, HedgeSkip reason) {}

    /**
     * A cancelled attempt is a straggler past the threshold, or has left its task after it was reported as one.
     *
     * @param straggler who it is, how long ago it was cancelled, where it is
     * @param left whether it has left its task now
     */
    record StragglerSeen(Straggler straggler, boolean left) {}

    /**
     * A call was decided.
     *
     * @param operation the hedger's name
     * @param call the call's number; 0 if it made no attempt
     * @param outcome how it ended
     * @param winner the number of the attempt whose value won, or -1
     * @param attempts how many attempts it made
     */
    record CallEnded(String operation, long call, CallOutcome outcome, int winner, int attempts) {}
}
