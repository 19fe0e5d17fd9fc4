package dev.hedgescope;

import static java.util.Objects.requireNonNull;

import dev.hedgescope.internal.race.Core;
import dev.hedgescope.internal.race.ScopeCall;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One call in the form of a scope, in the manner of the JDK's {@code StructuredTaskScope}: configure, fork, join once,
 * close.
 *
 * {@snippet :
 * try (HedgeScope<Quote> scope = hedger.open()) {
 *     scope.acceptIf(Quote::isFresh).onDiscard(Quote::release);
 *     scope.fork(attempt -> east.quote(sku)); // primary: starts now
 *     scope.fork(attempt -> west.quote(sku)); // hedge: join() starts it when due, if budget and limiter agree
 *     return scope.join();
 * }
 * }
 *
 * <p><b>Rules.</b> Only the thread that opened the scope may use it; others get {@link WrongThreadException}.
 * {@link #acceptIf} and {@link #onDiscard} come before the first fork. There are at most {@code maxAttempts} forks. A
 * scope that is closed without a join cancels its attempts and then throws {@link IllegalStateException}. A scope
 * without a fork counts as nothing.
 *
 * <p><b>Two ends.</b> {@link #join} returns when the call is decided, after the losers were told to stop.
 * {@link #close} waits for them only if the policy says {@link HedgePolicy.Losers#AWAIT}; otherwise they belong to the
 * {@link Hedger} from then on.
 *
 * <p><b>Memory effects.</b> What the owner did before a fork <i>happens-before</i> the forked task; what the winner's
 * task did <i>happens-before</i> {@code join} returns. There is no such edge from a loser, which may still run.
 *
 * @param <T> the type of the value
 */
public final class HedgeScope<T extends @Nullable Object> implements AutoCloseable {

    private final Core core;
    private final ScopeCall call;

    HedgeScope(Core core, HedgePolicy policy) {
        this.core = core;
        this.call = new ScopeCall(core, policy);
    }

    /**
     * Sets which values win. A value that is refused makes the next hedge due, as a failure does; if nothing better
     * comes, the refused value of the lowest-numbered attempt is what {@link #join} returns.
     *
     * @param predicate tells whether a value may win; it runs on the attempt's thread. If it throws, that is the call's
     *     failure
     * @return this
     * @throws IllegalStateException if something was forked already
     */
    @SuppressWarnings("unchecked") // the call's values are the tasks', which are of type T
    public HedgeScope<T> acceptIf(Predicate<? super T> predicate) {
        call.acceptIf((Predicate<@Nullable Object>) requireNonNull(predicate, "predicate"));
        return this;
    }

    /**
     * Sets what happens to a value that nobody will receive. By default nothing does.
     *
     * @param discard takes each such value, once; it runs on the attempt's thread, or on the owner's. What it throws is
     *     counted
     * @return this
     * @throws IllegalStateException if something was forked already
     */
    @SuppressWarnings("unchecked") // the call's values are the tasks', which are of type T
    public HedgeScope<T> onDiscard(Consumer<? super T> discard) {
        call.onDiscard((Consumer<@Nullable Object>) requireNonNull(discard, "discard"));
        return this;
    }

    /**
     * Adds an attempt. The first one starts now if a permit is free, otherwise in {@link #join}; each further one is a
     * hedge, which {@code join} starts when it is due.
     *
     * @param task what the attempt does
     * @throws IllegalStateException if there are {@code maxAttempts} forks already, after a join, or if the hedger is
     *     closed
     */
    public void fork(Attempt.Task<? extends T, ?> task) {
        call.fork(requireNonNull(task, "task"));
    }

    /**
     * Adds all attempts at once: the primary, which starts now if a permit is free, and a hedge for each further
     * attempt that the policy allows, each on another replica.
     *
     * @param replicas the replicas
     * @param task what each attempt does
     * @param <R> the type of the resource
     * @throws IllegalStateException if something was forked already, or if the hedger is closed
     */
    public <R> void fork(Replicas<R> replicas, Attempt.ReplicaTask<? super R, ? extends T, ?> task) {
        call.fork(replicas.order.route(core, requireNonNull(task, "task")));
    }

    /**
     * Waits until the call is decided, starting hedges as they come due, and tells the losers to stop.
     *
     * @return the first accepted value, or a refused one if nothing better came
     * @throws InterruptedException if the calling thread was interrupted before the call was decided
     * @throws HedgeException.Failed if the task failed; the cause is what it threw
     * @throws HedgeException.TimedOut if the deadline passed
     * @throws HedgeException.Refused if there was no permit for the primary
     * @throws IllegalStateException without a fork, on a second join, or if the hedger was closed
     */
    @SuppressWarnings({"unchecked", "NullAway"}) // the call's values are the tasks', which are of type T, null included
    public T join() throws InterruptedException {
        try {
            return (T) call.join();
        } catch (InterruptedException | RuntimeException | Error thrown) {
            throw thrown;
        } catch (Throwable impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Ends the scope. Under {@link HedgePolicy.Losers#AWAIT} it waits, uninterruptibly, until the last thread of the
     * call has left.
     *
     * @throws IllegalStateException if something was forked and not joined; its attempts have been cancelled
     */
    @Override
    public void close() {
        call.close();
    }
}
