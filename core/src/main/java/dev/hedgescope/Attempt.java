package dev.hedgescope;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One execution of the task on its own virtual thread, as the task sees it: who it is, how long it has, and how it is
 * stopped.
 *
 * <p>Guard each blocking step that an interrupt does not stop well, such as a JDBC query, with a hook:
 *
 * {@snippet :
 * List<Account> rows = attempt.onCancel(query::cancel, () -> read(query.executeQuery()));
 * }
 *
 * <p><b>Cancellation.</b> An attempt is cancelled when its call is decided without it. Its hooks run first, newest
 * first, on a thread of their own; the attempt's thread is interrupted after the policy's grace, or at once if it has
 * no hook. It is interrupted at most once, and only while its task runs. Whoever ignores both goes on as a straggler,
 * and keeps its permit.
 *
 * <p><b>Memory effects.</b> What the caller did before the call <i>happens-before</i> each attempt's task; what the
 * winner's task did <i>happens-before</i> the call returns. There is <em>no</em> such edge from a loser: it may still
 * run when the call has returned. Do not let attempts write to state that they share with the caller.
 *
 * <p>All methods may be called by any thread while the attempt runs.
 */
public interface Attempt {

    /** {@return this attempt's number within its call: 0 for the primary, then 1, 2, …} */
    int number();

    /** {@return whether this is the call's first attempt} */
    default boolean isPrimary() {
        return number() == 0;
    }

    /** {@return the call's number, the same in all its attempts, unique within its hedger} */
    long callId();

    /**
     * {@return when the whole call ends at the latest, as wall-clock time; the same in all its attempts,
     * {@link Instant#MAX} if it has no deadline}
     */
    Instant deadline();

    /**
     * {@return the time left until the deadline, never negative; the longest {@code Duration} of nanoseconds in a
     * {@code long} if there is none}
     */
    Duration remaining();

    /** {@return whether nobody waits for this attempt any more} */
    boolean isCancelled();

    /**
     * Registers a hook that stops what the attempt does, until the registration is closed or the attempt has left its
     * task.
     *
     * <p>If the attempt is cancelled already, the hook runs once, at once, on its own thread. If the attempt has left
     * its task, nothing is registered and the returned registration is closed.
     *
     * @param hook what stops the work, for instance {@code statement::cancel}; it runs at most once
     * @return the registration; close it when the work is done
     */
    Registration onCancel(CancelHook hook);

    /**
     * Runs a step that the hook can stop. When this method is left, by whatever way, the hook is not running and never
     * will.
     *
     * @param hook what stops the step; it runs at most once, and only while the step runs
     * @param step the step, on the calling thread
     * @return the step's value
     * @throws InterruptedException if the attempt is cancelled already; the step did not run
     * @throws X what the step throws
     */
    <V extends @Nullable Object, X extends Exception> V onCancel(CancelHook hook, Step<V, X> step)
            throws X, InterruptedException;

    /**
     * The user's code: what an attempt does. It runs once for each attempt, possibly several times at once, so it has
     * to be safe to repeat.
     *
     * @param <T> the type of its value
     * @param <X> the checked exception that it throws, which the call throws as well; a lambda that throws two
     *     unrelated checked types widens it to {@code Exception}
     */
    @FunctionalInterface
    interface Task<T extends @Nullable Object, X extends Exception> {

        /**
         * Runs the task.
         *
         * @param attempt the attempt that runs it
         * @return the value, which may be null
         * @throws X if it fails
         * @throws InterruptedException if it was interrupted
         */
        T run(Attempt attempt) throws X, InterruptedException;
    }

    /**
     * The user's code where each attempt goes to another replica.
     *
     * @param <R> the type of the replicas' resource
     * @param <T> the type of its value
     * @param <X> the checked exception that it throws
     */
    @FunctionalInterface
    interface ReplicaTask<R, T extends @Nullable Object, X extends Exception> {

        /**
         * Runs the task on one replica.
         *
         * @param attempt the attempt that runs it
         * @param resource the replica's resource
         * @return the value, which may be null
         * @throws X if it fails
         * @throws InterruptedException if it was interrupted
         */
        T run(Attempt attempt, R resource) throws X, InterruptedException;
    }

    /** What stops a piece of blocking work from another thread, such as {@code java.sql.Statement::cancel}. */
    @FunctionalInterface
    interface CancelHook {

        /**
         * Stops the work. It may block, since it runs on a thread of its own; it is never interrupted by the library.
         *
         * @throws Exception if that fails; it is counted, logged once, and changes nothing else
         */
        void cancel() throws Exception;
    }

    /** A hook that is armed until it is closed. */
    interface Registration extends AutoCloseable {

        /**
         * Disarms the hook. If the hook is in progress, waits until it has ended, uninterruptibly (the interrupt flag
         * is set again afterwards); returns at once if called by the hook itself. Afterwards the hook never runs.
         * Closing twice does nothing.
         */
        @Override
        void close();
    }

    /**
     * A step of a task.
     *
     * @param <V> the type of its value
     * @param <X> the checked exception that it throws
     */
    @FunctionalInterface
    interface Step<V extends @Nullable Object, X extends Exception> {

        /**
         * Runs the step.
         *
         * @return its value
         * @throws X if it fails
         * @throws InterruptedException if it was interrupted
         */
        V run() throws X, InterruptedException;
    }
}
