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
 * The part of a call that starts its attempts: admission of the primary, and hedges that are due. Run by the caller's
 * thread alone.
 *
 * <p>A hedge passes, in this order: the rules, the budget, a replica, a permit; then a last look whether the call is
 * still open. Who is stopped half-way gives back what it has, in the opposite order.
 */
abstract class Launcher extends Call {

    /** A hedge that enters its task later than this after it was due is counted as late. */
    static final long LATE = TimeUnit.MILLISECONDS.toNanos(10);

    /** An interrupt came and was cleared; it is set again on the way out if it did not decide the call. */
    boolean interrupted;

    /** Neither budget, replicas, attempts nor a rule have ended hedging for this call. */
    boolean hedging = true;

    /** An attempt was started since the last park: it entered its task no earlier than now, so no clock is needed. */
    boolean fresh;

    private final Registry.@Nullable Member parent;
    private boolean hasDeadline;
    private boolean insideHedge;
    private boolean permitSkipped;
    private long deadlineAt;
    private @Nullable Asking asking;

    /** When to ask again for a permit. */
    private record Asking(long since, long delay) {}

    Launcher(Core core, HedgePolicy policy) {
        super(core, policy);
        this.parent = Registry.Member.current();
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
            Launcher outer = (Launcher) attempt.call();
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
    final boolean hasPassed() {
        return Thread.currentThread().isInterrupted() || isPastDeadline();
    }

    final boolean isPastDeadline() {
        return hasDeadline && deadlineAt - core.runtime.nanoTime() <= 0;
    }

    /** {@return the smaller of a wait and the time until the deadline} */
    final long untilDeadline(long wait) {
        return hasDeadline ? Math.min(wait, deadlineAt - core.runtime.nanoTime()) : wait;
    }

    /** Decides by the interrupt; the flag is then in the exception, and set again if another decided before. */
    final boolean endInterrupted() {
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

    // Hedges

    /** {@return the time until the next hedge is due by time; zero or less: it is due since then} */
    final long untilDue() {
        Asking ask = asking;
        if (ask != null) {
            return ask.delay == Nanos.FOREVER ? ask.delay : ask.delay - (core.runtime.nanoTime() - ask.since);
        }
        return Due.in(this, fresh);
    }

    /** {@return whether no rule stands against a hedge, and time alone brings the next} */
    final boolean hedgeIsToCome() {
        return hedging && asking == null && gate() == null && untilDue() != Nanos.FOREVER;
    }

    /** Starts the hedge that a failure makes due, if there may be one. */
    final void hedgeAfterFailure() {
        if (hedging && attemptCount() < most()) {
            hedge(Trigger.FAILURE, 0);
        }
    }

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
    final void hedge(Trigger trigger, long late) {
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
