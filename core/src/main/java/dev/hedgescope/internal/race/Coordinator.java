package dev.hedgescope.internal.race;

import dev.hedgescope.Attempt;
import dev.hedgescope.HedgeListener.CallOutcome;
import dev.hedgescope.HedgeListener.Trigger;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeSkip;
import dev.hedgescope.internal.time.Nanos;
import org.jspecify.annotations.Nullable;

/**
 * A call as its caller's thread runs it: waiting, deciding when the next hedge is due, ending.
 *
 * <p>The loop looks at the call, then parks. After anything that may itself park (limiter, listener, replica predicate,
 * starting a thread) it looks again first, since an unpark may have been used up. An attempt runs until it has
 * published; so "nothing runs" means that all permits are back and all failures readable.
 */
public final class Coordinator extends Launcher {

    /** Makes a call of the calling thread. */
    public Coordinator(Core core, HedgePolicy policy) {
        super(core, policy);
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
            park(untilDeadline(wait));
        }
    }

    private void park(long nanos) {
        if (state() == CLAIMED) {
            interrupted |= Thread.interrupted();
        }
        core.runtime.park(nanos);
        fresh = false;
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

    private void timeOut() {
        boolean hedgeWasToCome = hedgeIsToCome();
        if (decide(Ending.TIMED_OUT) && hedgeWasToCome) {
            core.collaborators.hedgeSkipped(this, attemptCount(), Trigger.DELAY, HedgeSkip.DEADLINE);
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
}
