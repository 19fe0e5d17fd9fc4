package dev.hedgescope.internal.race;

import dev.hedgescope.Attempt;
import dev.hedgescope.HedgeListener.Trigger;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.Limiter.Permit;
import dev.hedgescope.Outcome;
import dev.hedgescope.internal.time.AttemptTiming;
import dev.hedgescope.internal.time.Nanos;
import dev.hedgescope.internal.time.Seam;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One attempt: its state machine, and what its thread does from start to the end of its task.
 *
 * <pre>
 *   STARTING ──attempt──► RUNNING ──────────────attempt──────────────► LEAVING ──attempt──► PUBLISHED
 *      │                     │                                            ▲
 *      │                     └─interrupter─► INTERRUPTING ─interrupter─► INTERRUPTED
 *      │                                          │ attempt                   ▲
 *      │                                          └──► LEAVE_WAIT ─interrupter┘ (and unparks the attempt)
 *      ├──canceller──► CALLED_OFF ──attempt──► LEAVING
 *      └──starter───► NO_THREAD   (also from CALLED_OFF: the thread could not be started)
 * </pre>
 *
 * <p>Every arrow is a compare-and-set, or made by the only thread that may leave the state. The attempt first becomes
 * RUNNING, <i>then</i> looks whether the call is decided; that look is the transition of law L6. Decided: it leaves
 * through the same handshake, as never started.
 *
 * <p>The interrupter is the only one to interrupt, once, and only from RUNNING. An attempt that wants to leave
 * meanwhile waits for it, so that no interrupt of ours arrives after LEAVING; then it clears its flag.
 *
 * <p>Then, in this order: registrations closed; {@linkplain AttemptEnd CLAIM to PUBLISH, and the events}; registry left.
 *
 * <table>
 * <caption>Fields with more than one thread</caption>
 * <tr><th>field</th><th>guard</th></tr>
 * <tr><td>{@code state}</td><td>compare-and-set; PUBLISHED in release mode, since {@code ended} is raised after it</td></tr>
 * <tr><td>{@code enteredAt}</td><td>written before RUNNING</td></tr>
 * <tr><td>{@code result}</td><td>written before PUBLISHED, read after it</td></tr>
 * <tr><td>{@code cancellation}</td><td>compare-and-set, once</td></tr>
 * </table>
 */
public final class AttemptRun extends Registry.Member implements Attempt, AttemptTiming {

    static final int STARTING = 0;
    static final int CALLED_OFF = 1;
    static final int NO_THREAD = 2;
    static final int RUNNING = 3;
    static final int INTERRUPTING = 4;
    static final int LEAVE_WAIT = 5;
    static final int INTERRUPTED = 6;
    static final int LEAVING = 7;
    static final int PUBLISHED = 8;

    private static final VarHandle STATE;
    private static final VarHandle CANCELLATION;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(AttemptRun.class, "state", int.class);
            CANCELLATION = lookup.findVarHandle(AttemptRun.class, "cancellation", Cancellation.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    /** How an attempt came to be, if it is not a plain primary. */
    record Origin(@Nullable Trigger trigger, long dueAt, Source.@Nullable Placement placement) {}

    /** A failure and when it came. */
    record Failure(Throwable thrown, long nanos) {}

    private final int number;
    private final Task<?, ?> task;
    private final @Nullable Permit permit;
    private final @Nullable Origin origin;
    private final @Nullable AttemptRun older;

    private volatile int state;
    private volatile @Nullable Cancellation cancellation;
    private long enteredAt;
    private @Nullable Object result;

    AttemptRun(
            Call call,
            int number,
            Task<?, ?> task,
            @Nullable Permit permit,
            @Nullable Origin origin,
            @Nullable AttemptRun older) {
        super(call);
        this.number = number;
        this.task = task;
        this.permit = permit;
        this.origin = origin;
        this.older = older;
    }

    Call call() {
        return (Call) group();
    }

    @Override
    Core core() {
        return call().core;
    }

    /** {@return the task as the user gave it} */
    Task<?, ?> given() {
        return task instanceof WrappedTask wrapped ? wrapped.task() : task;
    }

    @Nullable
    AttemptRun older() {
        return older;
    }

    @Nullable
    Permit permit() {
        return permit;
    }

    Source.@Nullable Placement placement() {
        return origin == null ? null : origin.placement;
    }

    @Nullable
    Trigger trigger() {
        return origin == null ? null : origin.trigger;
    }

    @Nullable
    String replicaName() {
        Source.Placement placement = placement();
        return placement == null ? null : placement.name();
    }

    // The attempt's thread

    @Override
    public void run() {
        if (state() == NO_THREAD) {
            return; // the runtime said that this thread does not exist
        }
        begin();
        core().collaborators.attemptStarted(this);
        if (enter()) {
            runTask();
        } else if (state() != NO_THREAD) {
            AttemptEnd.publish(this, Outcome.NEVER_STARTED);
            AttemptEnd.afterwards(this, Outcome.NEVER_STARTED, 0, null);
        } else {
            return;
        }
        core().registry.leave(this);
    }

    private void runTask() {
        Object value = null;
        Throwable failure = null;
        try {
            Seam.at();
            value = task.run(this);
        } catch (Throwable thrown) {
            failure = thrown;
        }
        Seam.at();
        leaveTask();
        long nanos = failure == null && !core().collaborators.hasListener()
                ? 0
                : core().runtime.nanoTime() - enteredAt;
        Outcome outcome = Outcome.FAILED;
        try {
            outcome = AttemptEnd.claim(this, value, failure, nanos);
        } finally {
            AttemptEnd.publish(this, outcome);
        }
        AttemptEnd.afterwards(this, outcome, nanos, failure);
    }

    /** Enters the task. {@return false if the call was decided before} */
    private boolean enter() {
        Core core = core();
        long now = core.runtime.nanoTime();
        enteredAt = now;
        if (!move(STARTING, RUNNING)) {
            move(CALLED_OFF, LEAVING); // else NO_THREAD
            return false;
        }
        if (call().isDecided()) {
            leaveTask();
            return false;
        }
        core.tally.started(number);
        if (origin != null && origin.trigger != null && now - origin.dueAt > Launcher.LATE) {
            core.tally.lateHedges.increment();
        }
        return true;
    }

    /** Ends the time in which we interrupt this thread, and in which hooks run. */
    private void leaveTask() {
        while (true) {
            int s = state();
            if (s == RUNNING ? move(RUNNING, LEAVING) : s == INTERRUPTED && move(INTERRUPTED, LEAVING)) {
                break;
            }
            if (s == INTERRUPTING && move(INTERRUPTING, LEAVE_WAIT)) {
                while (state() == LEAVE_WAIT) {
                    Thread.interrupted();
                    core().runtime.park(Long.MAX_VALUE);
                }
            }
        }
        Cancellation present = cancellation();
        if (present != null) {
            present.leave();
        }
        Thread.interrupted();
    }

    /** Leaves its value or {@link Failure} for those who read it once it is published; null takes it back. */
    void result(@Nullable Object next) {
        result = next;
    }

    /** Says that its result is readable. */
    void setPublished() {
        Seam.at();
        STATE.setRelease(this, PUBLISHED);
    }

    // Who stops it

    /** Cancels the attempt, by any thread, any number of times. */
    void cancel() {
        int s = state();
        while (s == STARTING) {
            if (move(STARTING, CALLED_OFF)) {
                return;
            }
            s = state();
        }
        if (s == RUNNING) {
            needCancellation().begin();
        }
    }

    /** Interrupts the task if it still runs and was not interrupted by us before. */
    void interrupt() {
        if (!move(RUNNING, INTERRUPTING)) {
            return;
        }
        Core core = core();
        Thread thread = Objects.requireNonNull(thread());
        core.tally.interrupts.increment();
        core.runtime.interrupt(thread);
        if (!move(INTERRUPTING, INTERRUPTED)) {
            Seam.at();
            state = INTERRUPTED; // it was LEAVE_WAIT, which we alone may end
            core.runtime.unpark(thread);
        }
    }

    /** Says that the thread could not be started. {@return false if it runs all the same} */
    boolean noThread() {
        return move(STARTING, NO_THREAD) || move(CALLED_OFF, NO_THREAD);
    }

    // What others read

    int state() {
        Seam.at();
        return state;
    }

    boolean hasEntered() {
        int s = state();
        return s != STARTING && s != CALLED_OFF;
    }

    /** {@return whether its task runs} */
    boolean isInTask() {
        int s = state();
        return s >= RUNNING && s <= INTERRUPTED;
    }

    /** {@return whether it will never be in its task again} No point of a simulation, since it is asked under a lock. */
    boolean hasLeftTask() {
        return state >= LEAVING;
    }

    /** {@return when it entered its task} Read it if {@link #hasEntered}. */
    long enteredAt() {
        return enteredAt;
    }

    /** {@return its value, or its {@link Failure}} Read it once it is published. */
    @Nullable
    Object result() {
        return result;
    }

    @Nullable
    Failure failure() {
        return state() == PUBLISHED && result instanceof Failure failure ? failure : null;
    }

    @Nullable
    Cancellation cancellation() {
        Seam.at();
        return cancellation;
    }

    private Cancellation needCancellation() {
        Cancellation present = cancellation();
        if (present != null) {
            return present;
        }
        Cancellation made = new Cancellation(this);
        return CANCELLATION.compareAndSet(this, null, made) ? made : Objects.requireNonNull(cancellation);
    }

    private boolean move(int from, int to) {
        Seam.at();
        return STATE.compareAndSet(this, from, to);
    }

    // What the task sees

    @Override
    public int number() {
        return number;
    }

    @Override
    public long callId() {
        return call().id();
    }

    @Override
    public Instant deadline() {
        return call().deadline();
    }

    @Override
    public Duration remaining() {
        return call().remaining();
    }

    @Override
    public boolean isCancelled() {
        return call().isDecided() && !call().isDecider(this);
    }

    @Override
    public Registration onCancel(CancelHook hook) {
        Objects.requireNonNull(hook, "hook");
        return needCancellation().add(hook);
    }

    @Override
    public <V extends @Nullable Object, X extends Exception> V onCancel(CancelHook hook, Step<V, X> step)
            throws X, InterruptedException {
        Objects.requireNonNull(hook, "hook");
        Objects.requireNonNull(step, "step");
        if (isCancelled()) {
            throw cancelledException();
        }
        Registration registration = needCancellation().add(hook);
        try {
            if (isCancelled()) {
                throw cancelledException();
            }
            return step.run();
        } finally {
            registration.close();
        }
    }

    // What our own adapters see besides

    @Override
    public HedgeRuntime runtime() {
        return core().runtime;
    }

    @Override
    public long interruptAfter() {
        HedgePolicy policy = call().policy;
        return policy.interruptLosers() ? Nanos.of(policy.cancelGrace()) : Nanos.FOREVER;
    }

    @Override
    public Registration holdInterrupt() {
        return needCancellation().hold();
    }

    private InterruptedException cancelledException() {
        return new InterruptedException(Messages.attempt(this) + " is cancelled");
    }

    @Override
    public void uncaughtException(Thread thread, Throwable thrown) {
        core().collaborators.failed(Collaborators.Kind.THREAD, thrown);
    }

    @Override
    public String toString() {
        return Messages.attempt(this);
    }
}
