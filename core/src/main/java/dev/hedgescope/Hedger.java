package dev.hedgescope;

import static java.util.Objects.requireNonNull;

import dev.hedgescope.Attempt.ReplicaTask;
import dev.hedgescope.Attempt.Task;
import dev.hedgescope.internal.race.Coordinator;
import dev.hedgescope.internal.race.Core;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Runs calls of one operation, each with a hedge when it takes long. One long-lived object per operation; any thread
 * may use it.
 *
 * {@snippet :
 * Hedger quotes = Hedger.builder("pricing.quote")
 *     .policy(HedgePolicy.builder().delay(HedgeDelay.fixed(Duration.ofMillis(100))).build())
 *     .budget(HedgeBudget.ofExtraLoad(0.10))
 *     .limiter(Limiter.fixed(64))
 *     .build();
 * Quote quote = quotes.call(attempt -> pricing.quote(sku)); // throws what the lambda throws + InterruptedException
 * }
 *
 * <p><b>What a call does.</b> It takes a permit, starts the task on a virtual thread, and waits on the calling thread.
 * When a hedge is due and policy, budget and limiter agree, it starts the task again. The first value decides; the
 * other attempts are told to stop, and the call returns. They belong to the hedger until they have stopped, and keep
 * their permits until then. With {@link HedgePolicy.Losers#AWAIT} the call waits for them.
 *
 * <p><b>What the caller gets.</b> The first value; an {@link Error}, or a failure that the policy's {@code hedgeOn}
 * refuses, at once; else, when nothing runs and nothing can start, the failure of the lowest-numbered attempt, the same
 * object, with the others suppressed; {@link HedgeException.TimedOut} at the deadline; {@link HedgeException.Refused}
 * without a permit for the primary; {@link InterruptedException} if the caller is interrupted before the call is
 * decided, and nothing if after: then the value is returned and the flag stays set.
 *
 * <p><b>Calls inside attempts.</b> A call made by a task on its own thread inherits the deadline of the call around it,
 * does not hedge if the attempt around it is a hedge itself (see {@link HedgePolicy.Builder#nested}), and is not
 * admitted once that attempt is cancelled. It takes a permit of its own.
 *
 * <p><b>Memory effects.</b> What the caller did before {@code call} <i>happens-before</i> each attempt's task; what the
 * winner's task did <i>happens-before</i> {@code call} returns. There is <em>no</em> such edge from a loser, which may
 * still run after {@code call} has returned: do not let attempts write to shared state.
 */
public final class Hedger implements AutoCloseable {

    private final Core core;

    private Hedger(Core core) {
        this.core = core;
    }

    /**
     * Starts to build a hedger.
     *
     * @param name the operation's name, for threads, messages and metrics
     * @return the builder
     */
    public static Builder builder(String name) {
        return new Builder(name);
    }

    /** {@return the operation's name} */
    public String name() {
        return core.name();
    }

    /**
     * Runs the task, hedged.
     *
     * @param task what each attempt does
     * @param <T> the type of its value
     * @param <X> the checked exception that it throws
     * @return the value of the first attempt to succeed
     * @throws X what the task throws
     * @throws InterruptedException if the caller is interrupted before the call is decided, or if it was before; or the
     *     task's own
     * @throws HedgeException.TimedOut at the deadline
     * @throws HedgeException.Refused without a permit for the primary
     * @throws IllegalStateException if the hedger is closed
     */
    public <T extends @Nullable Object, X extends Exception> T call(Task<T, X> task) throws X, InterruptedException {
        return call(core.policy(), task);
    }

    /**
     * Runs the task, hedged, under another policy; all that is counted and learned is shared.
     *
     * @param policy the policy of this call only
     * @param task what each attempt does
     * @param <T> the type of its value
     * @param <X> the checked exception that it throws
     * @return the value of the first attempt to succeed
     * @throws X what the task throws
     * @throws InterruptedException as {@link #call(Task)}
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // the call's value is the task's, null included
    public <T extends @Nullable Object, X extends Exception> T call(HedgePolicy policy, Task<T, X> task)
            throws X, InterruptedException {
        requireNonNull(task, "task");
        try {
            return (T) new Coordinator(core, requireNonNull(policy, "policy")).call(task);
        } catch (Throwable thrown) {
            throw Hedger.<X>sneaky(thrown);
        }
    }

    /**
     * Runs the task, hedged, each attempt on another replica.
     *
     * @param replicas the replicas
     * @param task what each attempt does
     * @param <R> the type of the resource
     * @param <T> the type of its value
     * @param <X> the checked exception that it throws
     * @return the value of the first attempt to succeed
     * @throws X what the task throws
     * @throws InterruptedException as {@link #call(Task)}
     * @throws HedgeException.Refused without a permit for the primary, or if no replica is available
     */
    public <R, T extends @Nullable Object, X extends Exception> T call(
            Replicas<R> replicas, ReplicaTask<? super R, T, X> task) throws X, InterruptedException {
        return call(core.policy(), replicas, task);
    }

    /**
     * Runs the task, hedged, each attempt on another replica, under another policy; all that is counted and learned is
     * shared.
     *
     * @param policy the policy of this call only
     * @param replicas the replicas
     * @param task what each attempt does
     * @param <R> the type of the resource
     * @param <T> the type of its value
     * @param <X> the checked exception that it throws
     * @return the value of the first attempt to succeed
     * @throws X what the task throws
     * @throws InterruptedException as {@link #call(Task)}
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // the call's value is the task's, null included
    public <R, T extends @Nullable Object, X extends Exception> T call(
            HedgePolicy policy, Replicas<R> replicas, ReplicaTask<? super R, T, X> task)
            throws X, InterruptedException {
        requireNonNull(task, "task");
        try {
            return (T) new Coordinator(core, requireNonNull(policy, "policy")).call(replicas.order.route(core, task));
        } catch (Throwable thrown) {
            throw Hedger.<X>sneaky(thrown);
        }
    }

    /**
     * Opens a scope of the calling thread.
     *
     * @param <T> the type of its value
     * @return the scope; close it
     * @throws IllegalStateException if the hedger is closed
     */
    public <T extends @Nullable Object> HedgeScope<T> open() {
        return open(core.policy());
    }

    /**
     * Opens a scope of the calling thread under another policy.
     *
     * @param policy the policy of this scope only
     * @param <T> the type of its value
     * @return the scope; close it
     * @throws IllegalStateException if the hedger is closed
     */
    public <T extends @Nullable Object> HedgeScope<T> open(HedgePolicy policy) {
        return new HedgeScope<>(core, requireNonNull(policy, "policy"));
    }

    /** {@return the policy of calls that start now} */
    public HedgePolicy policy() {
        return core.policy();
    }

    /**
     * Changes the policy of calls that start from now on; calls in flight keep theirs.
     *
     * @param policy the new policy
     */
    public void policy(HedgePolicy policy) {
        core.policy(requireNonNull(policy, "policy"));
    }

    /** {@return what was counted since this hedger was made, and its gauges} */
    public HedgeStats stats() {
        return core.stats();
    }

    /** {@return the attempts that were told to stop and have not left their task, with their age and stack} */
    public List<Straggler> stragglers() {
        return core.stragglers();
    }

    /**
     * Waits, uninterruptibly, until the threads of all calls that exist now have left. Later calls do not prolong it.
     *
     * @param limit how long to wait at most
     * @return whether they have left
     * @throws IllegalStateException if called by a thread of this hedger, which cannot wait for itself
     */
    public boolean awaitQuiet(Duration limit) {
        return core.awaitQuiet(limit);
    }

    /**
     * Closes the hedger and waits until nothing that it started runs any more:
     *
     * <ol>
     *   <li>No call is admitted any more; they get {@link IllegalStateException}.
     *   <li>Each open call is decided as abandoned, its attempts are cancelled, and its caller gets
     *       {@link IllegalStateException}; one that waits for a permit, when that wait ends.
     *   <li>Waits until the last thread has left: without limit, uninterruptibly; the interrupt flag is set again
     *       afterwards.
     * </ol>
     *
     * <p>Called by a thread of this hedger, or of a call made inside one of its attempts, it does 1, does 2 for all
     * other calls, and throws, since a thread cannot wait for itself. Closing twice is harmless.
     *
     * @throws IllegalStateException if called by a thread of this hedger
     */
    @Override
    public void close() {
        close(ChronoUnit.FOREVER.getDuration());
    }

    /**
     * Closes the hedger like {@link #close()}, but waits no longer than the limit.
     *
     * @param limit how long to wait at most
     * @return the threads that are still alive, with their stacks; empty if none is
     * @throws IllegalStateException if called by a thread of this hedger
     */
    public List<Straggler> close(Duration limit) {
        return core.close(limit);
    }

    @Override
    public String toString() {
        return core.toString();
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // lets any throwable pass as the one it is
    private static <X extends Throwable> X sneaky(Throwable thrown) throws X {
        throw (X) thrown;
    }

    /**
     * Builds a hedger. One builder can build several; they share only the budget and limiter objects that were passed
     * in.
     */
    public static final class Builder {

        private final String name;
        private HedgePolicy policy = HedgePolicy.defaults();
        private @Nullable HedgeBudget budget;
        private @Nullable Limiter limiter;
        private @Nullable HedgeListener listener;
        private @Nullable UnaryOperator<Runnable> wrapper;
        private HedgeRuntime runtime = HedgeRuntime.system();
        private Duration stragglerAfter = Duration.ofSeconds(30);

        private Builder(String name) {
            if (requireNonNull(name, "name").isBlank()) {
                throw new IllegalArgumentException("name must not be blank");
            }
            this.name = name;
        }

        /**
         * Sets the policy; {@link HedgePolicy#defaults()} by default.
         *
         * @param value the policy
         * @return this
         */
        public Builder policy(HedgePolicy value) {
            policy = requireNonNull(value, "policy");
            return this;
        }

        /**
         * Sets the purse that hedges are paid from; share one by passing the same object to several hedgers. By default
         * each hedger gets its own {@code HedgeBudget.of(0.1, 10)}.
         *
         * @param value the budget
         * @return this
         */
        public Builder budget(HedgeBudget value) {
            budget = requireNonNull(value, "budget");
            return this;
        }

        /**
         * Sets the gate on concurrency; share one by passing the same object to several hedgers. By default there is
         * none: then nothing bounds how many calls, and how many losers that ignore their cancellation, run at once.
         *
         * @param value the limiter
         * @return this
         */
        public Builder limiter(Limiter value) {
            limiter = requireNonNull(value, "limiter");
            return this;
        }

        /**
         * Sets who is told what happens.
         *
         * @param value the listener
         * @return this
         */
        public Builder listener(HedgeListener value) {
            listener = requireNonNull(value, "listener");
            return this;
        }

        /**
         * Sets where time, threads and chance come from; {@link HedgeRuntime#system()} by default.
         *
         * @param value the runtime
         * @return this
         */
        public Builder runtime(HedgeRuntime value) {
            runtime = requireNonNull(value, "runtime");
            return this;
        }

        /**
         * Sets how long after its cancellation an attempt that still runs is reported as a straggler; 30 s by default.
         *
         * @param value zero or more
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public Builder stragglerAfter(Duration value) {
            if (requireNonNull(value, "stragglerAfter").isNegative()) {
                throw new IllegalArgumentException("stragglerAfter must not be negative, was " + value);
            }
            stragglerAfter = value;
            return this;
        }

        /**
         * Wraps each attempt's task, to carry context over to its thread: the operator is called on the caller's thread
         * once per attempt, with the task as a runnable; what it returns runs on the attempt's thread, and has to run
         * its argument once. A failure of the task does not pass through the wrapper.
         *
         * @param value the wrapper
         * @return this
         */
        public Builder wrapTasks(UnaryOperator<Runnable> value) {
            wrapper = requireNonNull(value, "wrapTasks");
            return this;
        }

        /**
         * Builds the hedger.
         *
         * @return the hedger
         */
        public Hedger build() {
            HedgeBudget purse = budget == null ? HedgeBudget.of(0.1, 10, runtime) : budget;
            return new Hedger(new Core(name, runtime, policy, purse, limiter, listener, wrapper, stragglerAfter));
        }
    }
}
