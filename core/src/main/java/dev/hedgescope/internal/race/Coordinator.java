package dev.hedgescope.internal.race;

import dev.hedgescope.Attempt;
import dev.hedgescope.HedgeListener.CallOutcome;
import dev.hedgescope.HedgeListener.Trigger;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeSkip;
import dev.hedgescope.Limiter;
import dev.hedgescope.Limiter.Permit;
import dev.hedgescope.internal.time.Nanos;
import dev.hedgescope.internal.time.Seam;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The part of a call that its caller's thread alone runs: admission, starting attempts, waiting, ending.
 *
 * <p>The loop looks at the call, then parks. After anything that may itself park (limiter, listener, replica predicate,
 * starting a thread) it looks again first, since an unpark may have been used up. An attempt runs until it has
 * published; so "nothing runs" means that all permits are back and all failures readable.
 */
public final class Coordinator extends Call {

    /** A hedge that enters its task later than this after it was due is counted as late. */
    static final long LATE = TimeUnit.MILLISECONDS.toNanos(10);

    private final Registry.@Nullable Member parent;
    private boolean hasDeadline;
    private boolean insideHedge;

    /** An interrupt came and was cleared; it is set again on the way out if it did not decide the call. */
    private boolean interrupted;

    /** Neither budget, replicas, attempts nor a rule have ended hedging for this call. */
    private boolean hedging = true;

    /** An attempt was started since the last park: it entered its task no earlier than now, so no clock is needed. */
    private boolean fresh;

    private boolean permitSkipped;
    private long deadlineAt;
    private @Nullable Asking asking;

    /** When to ask again for a permit. */
    private record Asking(long since, long delay) {}

    /** Makes a call of the calling thread. */
    public Coordinator(Core core, HedgePolicy policy) {
        super(core, policy);
        this.parent = Registry.Member.current();
    }

    /** Runs a call of one task. {@return the value} */
    public @Nullable Object call(Attempt.Task<?, ?> task) throws Throwable {
        begin();
        admit(task, true);
        return finish();
    }

    /** Runs a call whose attempts get their work from a source. {@return the value} */
    public @Nullable Object call(Source source) throws Throwable {
        needExtras().source = source;
        begin();
        admit(null, true);
        return finish();
    }

    private @Nullable Object finish() throws Throwable {
        coordinate();
        conclude();
        if (awaitsLosers()) {
            awaitLosers();
        }
        restoreInterrupt();
        return Verdict.deliver(this, false);
    }

    // Admission

    /** Counts the call, starts its clock, and looks where it is made. */
    void begin() {
        if (core.registry.isClosed()) {
            throw core.closedException();
        }
        core.tally.calls.increment();
        long nanos = policy.deadline().map(Nanos::of).orElse(Nanos.FOREVER);
        if (parent instanceof AttemptRun attempt && attempt.isInTask()) {
            Coordinator outer = (Coordinator) attempt.call();
            insideHedge = !attempt.isPrimary() || outer.insideHedge;
            nanos = Math.min(nanos, Nanos.of(outer.remaining()));
        }
        if (nanos != Nanos.FOREVER) {
            hasDeadline = true;
            deadlineAt = core.runtime.nanoTime() + nanos;
        }
    }

    /** Starts the primary, or ends the call. {@return false if it would have to wait and must not} */
    boolean admit(Attempt.@Nullable Task<?, ?> task, boolean mayWait) {
        boolean turnedAway = parent instanceof AttemptRun attempt && attempt.isInTask() && attempt.isCancelled();
        if (turnedAway || Thread.currentThread().isInterrupted()) {
            return mayWait && endInterrupted();
        }
        Permit permit = null;
        Limiter limiter = core.limiter;
        if (limiter != null) {
            try {
                permit = acquire(limiter, mayWait);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return endInterrupted();
            } catch (Throwable thrown) {
                return decideBy(thrown);
            }
            if (permit == null && core.registry.isClosed()) {
                return decide(Ending.HEDGER_CLOSED);
            }
            if (permit == null) {
                boolean waits = !mayWait && policy.permitWait().isPositive();
                return !waits && (isPastDeadline() ? decide(Ending.TIMED_OUT) : decide(Ending.REFUSED));
            }
            if (mayWait && policy.permitWait().isPositive() && hasPassed()) {
                giveBack(permit);
                return Thread.currentThread().isInterrupted() ? endInterrupted() : decide(Ending.TIMED_OUT);
            }
        }
        Source.Work work = nextWork(task);
        if (work == null && task == null) {
            giveBack(permit);
            return decide(Ending.NO_REPLICA);
        }
        start(task == null ? Objects.requireNonNull(work).task() : task, permit, null, 0, work);
        return true;
    }

    private @Nullable Permit acquire(Limiter limiter, boolean mayWait) throws InterruptedException {
        Seam.at();
        Duration wait = policy.permitWait();
        if (!mayWait || !wait.isPositive()) {
            return limiter.tryAcquire();
        }
        return limiter.acquire(hasDeadline && remaining().compareTo(wait) < 0 ? remaining() : wait);
    }

    /** {@return whether a permit comes too late: the deadline has passed, or the caller is interrupted} */
    private boolean hasPassed() {
        return Thread.currentThread().isInterrupted() || isPastDeadline();
    }

    private boolean isPastDeadline() {
        return hasDeadline && deadlineAt - core.runtime.nanoTime() <= 0;
    }

    /** Decides by the interrupt; the flag is then in the exception, and set again if another decided before. */
    private boolean endInterrupted() {
        boolean flag = Thread.interrupted();
        boolean decides = decide(Ending.INTERRUPTED);
        interrupted |= flag && !decides;
        return decides;
    }

    private boolean decideBy(Throwable failure) {
        if (claim(failure)) {
            count(CallOutcome.FAILED);
            publish();
        }
        return true;
    }

    // The loop

    /** Like {@link #coordinate}, after the caller has done other things since the primary was started. */
    void coordinateLater() {
        fresh = false;
        coordinate();
    }

    /** Waits, and starts hedges, until the call is published. */
    void coordinate() {
        int used = 0;
        while (true) {
            int s = state();
            if (s == PUBLISHED) {
                return;
            }
            if (s == CLAIMED) {
                park(Nanos.FOREVER);
                continue;
            }
            if (Thread.currentThread().isInterrupted()) {
                endInterrupted();
                continue;
            }
            if (isPastDeadline()) {
                timeOut();
                continue;
            }
            int ended = ended(); // read once: a failure that comes after it is seen in the next round, before "nothing
            // runs" is
            if (used < ended) {
                used++;
                if (policy.onFailure() == HedgePolicy.OnFailure.HEDGE_NOW) {
                    hedgeAfterFailure();
                }
                continue;
            }
            if (ended == attemptCount()) {
                nothingRuns();
                continue;
            }
            long wait = hedging ? untilDue() : Nanos.FOREVER;
            if (wait <= 0) {
                hedge(Trigger.DELAY, wait);
                continue;
            }
            park(hasDeadline ? Math.min(wait, deadlineAt - core.runtime.nanoTime()) : wait);
        }
    }

    private void park(long nanos) {
        if (state() == CLAIMED) {
            interrupted |= Thread.interrupted();
        }
        core.runtime.park(nanos);
        fresh = false;
    }

    private int running() {
        return attemptCount() - ended();
    }

    private void nothingRuns() {
        if (policy.onFailure() == HedgePolicy.OnFailure.KEEP_SCHEDULE) {
            int before = attemptCount();
            hedgeAfterFailure();
            if (attemptCount() > before || hasPassed()) {
                return;
            }
        }
        decide(core.registry.isClosed() ? Ending.HEDGER_CLOSED : Ending.EXHAUSTED);
    }

    private void hedgeAfterFailure() {
        if (hedging && attemptCount() < most()) {
            hedge(Trigger.FAILURE, 0);
        }
    }

    private void timeOut() {
        boolean wasToCome = hedging && asking == null && gate() == null && untilDue() != Nanos.FOREVER;
        if (decide(Ending.TIMED_OUT) && wasToCome) {
            core.collaborators.hedgeSkipped(this, attemptCount(), Trigger.DELAY, HedgeSkip.DEADLINE);
        }
    }

    // When a hedge is due

    /** {@return the time until the next hedge is due by time; zero or less: it is due since then} */
    private long untilDue() {
        Asking ask = asking;
        if (ask != null) {
            return ask.delay == Nanos.FOREVER ? ask.delay : ask.delay - (core.runtime.nanoTime() - ask.since);
        }
        return Due.in(this, fresh);
    }

    // Starting

    /** {@return the rule that forbids the next hedge, or null} */
    private @Nullable HedgeSkip gate() {
        if (policy.mode() == HedgePolicy.Mode.OFF) {
            return HedgeSkip.OFF;
        }
        if (insideHedge && !policy.nested()) {
            return HedgeSkip.NESTED;
        }
        if (!policy.repeatable()) {
            return HedgeSkip.NOT_REPEATABLE;
        }
        return attemptCount() < most() ? null : HedgeSkip.ATTEMPTS;
    }

    /** {@return how many attempts this call makes at most} */
    int most() {
        Extras extras = extras();
        Source source = extras == null ? null : extras.source;
        return source == null ? policy.maxAttempts() : source.most(policy.maxAttempts());
    }

    /**
     * Starts the hedge that is due, or skips it with its reason. If the call is decided meanwhile, all is given back
     * and nothing is counted.
     *
     * @param late the time until it is due, zero or less
     */
    private void hedge(Trigger trigger, long late) {
        HedgeSkip rule = gate();
        if (rule != null) {
            skip(trigger, rule);
            return;
        }
        if (!core.withdraw()) {
            skip(trigger, HedgeSkip.BUDGET);
            return;
        }
        Source.Work work = nextWork(null);
        if (work == null && hasSource()) {
            core.refund();
            skip(trigger, HedgeSkip.REPLICA);
            return;
        }
        Permit permit = null;
        Limiter limiter = core.limiter;
        if (limiter != null) {
            permit = acquireForHedge(limiter);
            if (permit == null || hasPassed()) {
                if (permit != null) {
                    giveBack(permit);
                } else if (!hasPassed()) {
                    noPermit(trigger);
                }
                giveBackWork();
                core.refund();
                return;
            }
        }
        if (isDecided()) {
            giveBack(permit);
            giveBackWork();
            core.refund();
            return;
        }
        Attempt.Task<?, ?> task =
                work == null ? Objects.requireNonNull(newest()).given() : work.task();
        start(task, permit, trigger, core.runtime.nanoTime() + late, work);
    }

    /** Asks as a hedge, or as a primary if nothing of this call runs. */
    private @Nullable Permit acquireForHedge(Limiter limiter) {
        try {
            if (running() == 0) {
                return acquire(limiter, true);
            }
            Seam.at();
            return limiter.tryAcquireHedge();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable thrown) {
            core.collaborators.failed(Collaborators.Kind.LIMITER, thrown);
        }
        return null;
    }

    /** Skips the hedge, once, and asks again one delay later. */
    private void noPermit(Trigger trigger) {
        if (!permitSkipped) {
            permitSkipped = true;
            core.collaborators.hedgeSkipped(this, attemptCount(), trigger, HedgeSkip.PERMIT);
        }
        asking = new Asking(core.runtime.nanoTime(), Due.askAgainAfter(policy.delay()));
    }

    /** Skips a hedge for a reason that ends hedging for this call. */
    private void skip(Trigger trigger, HedgeSkip reason) {
        hedging = false;
        core.collaborators.hedgeSkipped(this, attemptCount(), trigger, reason);
    }

    private void start(
            Attempt.Task<?, ?> task,
            @Nullable Permit permit,
            @Nullable Trigger trigger,
            long dueAt,
            Source.@Nullable Work work) {
        Source.Placement placement = work == null ? null : work.placement();
        AttemptRun.Origin origin =
                trigger == null && placement == null ? null : new AttemptRun.Origin(trigger, dueAt, placement);
        AttemptRun before = newest();
        int number = attemptCount();
        AttemptRun attempt = new AttemptRun(this, number, wrap(task), permit, origin, before);
        if (!core.registry.add(attempt)) {
            undo(attempt, permit, trigger);
            if (trigger != null) {
                skip(trigger, HedgeSkip.CLOSED);
            }
            if (running() == 0) {
                decide(Ending.HEDGER_CLOSED);
            }
            return;
        }
        newest(attempt);
        fresh = true;
        asking = null;
        if (placement != null) {
            placement.started();
        }
        Throwable failure = startThread(attempt);
        if (failure != null && attempt.noThread()) {
            newest(before);
            if (placement != null) {
                placement.ended();
            }
            undo(attempt, permit, trigger);
            if (trigger != null) {
                skip(trigger, HedgeSkip.THREAD);
            } else {
                decideBy(failure);
            }
        }
    }

    private @Nullable Throwable startThread(AttemptRun attempt) {
        try {
            Thread thread = core.runtime.start(core.threadName(attempt.number()), attempt);
            return thread == null ? Core.noThread() : null;
        } catch (Throwable thrown) {
            return thrown;
        }
    }

    private void undo(AttemptRun attempt, @Nullable Permit permit, @Nullable Trigger trigger) {
        core.registry.leave(attempt);
        giveBack(permit);
        giveBackWork();
        if (trigger != null) {
            core.refund();
        }
    }

    private Attempt.Task<?, ?> wrap(Attempt.Task<?, ?> task) {
        return core.wrapper == null ? task : WrappedTask.wrap(core, core.wrapper, task);
    }

    private boolean hasSource() {
        Extras extras = extras();
        return extras != null && extras.source != null;
    }

    private Source.@Nullable Work nextWork(Attempt.@Nullable Task<?, ?> task) {
        Extras extras = task == null ? extras() : null;
        return extras == null || extras.source == null ? null : extras.source.next();
    }

    private void giveBackWork() {
        Extras extras = extras();
        if (extras != null && extras.source != null) {
            extras.source.giveBack();
        }
    }

    private void giveBack(@Nullable Permit permit) {
        if (permit != null) {
            try {
                permit.ignore();
            } catch (Throwable thrown) {
                core.collaborators.failed(Collaborators.Kind.LIMITER, thrown);
            }
        }
    }

    // The end

    /** Cancels the losers and does what the decider does, where this thread is the one. */
    void conclude() {
        if (decider() == Ending.TIMED_OUT) {
            needExtras().timedOut = Messages.timedOut(this);
        }
        cancelLosers();
        if (decider() instanceof AttemptRun) {
            return;
        }
        CallOutcome outcome = decider() instanceof Ending ending ? ending.outcome : CallOutcome.FAILED;
        Extras extras = extras();
        if (extras != null && outcome == CallOutcome.ABANDONED) {
            extras.discardKept(core);
        }
        core.collaborators.callEnded(id(), outcome, -1, attemptCount());
    }

    /** Waits until the last thread of this call has left, uninterruptibly. */
    void awaitLosers() {
        while (!isQuiet()) {
            interrupted |= Thread.interrupted();
            core.runtime.park(Nanos.FOREVER);
        }
    }

    /** Discards the value of an attempt that decided, since nobody will receive it. */
    void discardResult() {
        if (decider() instanceof AttemptRun attempt && attempt.failure() == null) {
            needExtras().discard(core, attempt.result());
        }
    }

    /** Sets the flag again, once for what came since the last time. */
    void restoreInterrupt() {
        if (interrupted) {
            interrupted = false;
            Thread.currentThread().interrupt();
        }
    }

    // What attempts ask

    @Override
    Registry.@Nullable Member parent() {
        return parent;
    }

    @Override
    boolean isInsideHedge() {
        return insideHedge;
    }

    @Override
    Duration remaining() {
        return Duration.ofNanos(hasDeadline ? Math.max(0, deadlineAt - core.runtime.nanoTime()) : Nanos.FOREVER);
    }

    @Override
    Instant deadline() {
        return hasDeadline ? needExtras().deadline(Instant.now().plus(remaining())) : Instant.MAX;
    }
}
