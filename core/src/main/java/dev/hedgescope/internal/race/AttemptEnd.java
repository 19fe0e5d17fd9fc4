package dev.hedgescope.internal.race;

import dev.hedgescope.HedgeListener.CallOutcome;
import dev.hedgescope.Limiter.Permit;
import dev.hedgescope.Outcome;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the thread of an attempt does once it has left its task: CLAIM, a late value discarded, numbers counted, permit
 * settled, PUBLISH, events.
 *
 * <p>The value or failure is written before the compare-and-set that may deliver it, and read by others only after
 * PUBLISH. From CLAIM to PUBLISH whatever a collaborator throws is contained, so PUBLISH happens.
 */
final class AttemptEnd {

    private AttemptEnd() {}

    /** Offers what came out of the task. {@return how the attempt ended} */
    static Outcome claim(AttemptRun attempt, @Nullable Object value, @Nullable Throwable failure, long nanos) {
        return failure == null ? claimValue(attempt, value, nanos) : claimFailure(attempt, failure, nanos);
    }

    private static Outcome claimValue(AttemptRun attempt, @Nullable Object value, long nanos) {
        Call call = attempt.call();
        Extras extras = call.extras();
        if (extras != null && extras.acceptIf != null && !call.isDecided()) {
            try {
                if (!extras.acceptIf.test(value)) {
                    return keep(attempt, extras, value);
                }
            } catch (Throwable thrown) {
                extras.discard(call.core, value);
                return claimFatal(attempt, thrown, nanos);
            }
        }
        attempt.result(value);
        if (call.claim(attempt)) {
            return Outcome.WON;
        }
        attempt.result(null);
        if (extras != null) {
            extras.discard(call.core, value);
        }
        return Outcome.LATE;
    }

    private static Outcome keep(AttemptRun attempt, Extras extras, @Nullable Object value) {
        Extras.Offer offer = extras.keep(attempt, value);
        if (offer != Extras.Offer.KEPT) {
            extras.discard(attempt.core(), value);
        }
        return offer == Extras.Offer.CLOSED ? Outcome.LATE : Outcome.FAILED;
    }

    private static Outcome claimFailure(AttemptRun attempt, Throwable failure, long nanos) {
        if (attempt.call().isDecided()) {
            return Outcome.CANCELLED;
        }
        Throwable thrown = failure;
        if (failure instanceof Exception exception) {
            try {
                Predicate<? super Exception> hedgeOn = attempt.call().policy.hedgeOn();
                if (hedgeOn.test(exception)) {
                    attempt.result(new AttemptRun.Failure(failure, nanos));
                    return Outcome.FAILED;
                }
            } catch (Throwable fromPredicate) {
                thrown = fromPredicate;
                if (fromPredicate != failure) {
                    fromPredicate.addSuppressed(failure);
                }
            }
        }
        return claimFatal(attempt, thrown, nanos);
    }

    private static Outcome claimFatal(AttemptRun attempt, Throwable thrown, long nanos) {
        attempt.result(new AttemptRun.Failure(thrown, nanos));
        return attempt.call().claim(attempt) ? Outcome.FAILED : Outcome.CANCELLED;
    }

    /** Counts, settles the permit, and makes the result visible, whatever a collaborator throws. */
    static void publish(AttemptRun attempt, Outcome outcome) {
        Call call = attempt.call();
        Core core = call.core;
        boolean mine = call.isDecider(attempt);
        boolean open = !call.isDecided();
        try {
            count(attempt, outcome, mine);
        } finally {
            try {
                settle(attempt, outcome);
            } finally {
                attempt.setPublished();
                if (mine) {
                    call.publish();
                }
                call.attemptEnded();
                if (mine || open || call.awaitsLosers()) {
                    core.runtime.unpark(call.caller);
                }
            }
        }
    }

    private static void count(AttemptRun attempt, Outcome outcome, boolean mine) {
        Core core = attempt.core();
        core.tally.ended(attempt.number(), outcome);
        if (outcome == Outcome.WON) {
            try {
                core.budget.deposit();
            } catch (Throwable thrown) {
                core.collaborators.failed(Collaborators.Kind.BUDGET, thrown);
            }
        } else if (mine) {
            attempt.call().count(CallOutcome.FAILED);
        } else if (outcome == Outcome.NEVER_STARTED && attempt.trigger() != null) {
            core.tally.hedgesNeverStarted.increment();
            core.refund();
        }
        Source.Placement placement = attempt.placement();
        if (placement != null) {
            placement.ended();
        }
    }

    private static void settle(AttemptRun attempt, Outcome outcome) {
        Permit permit = attempt.permit();
        if (permit == null) {
            return;
        }
        try {
            switch (outcome) {
                case WON -> permit.success();
                case LATE, CANCELLED -> {
                    if (attempt.call().isTimedOut()) {
                        permit.drop();
                    } else {
                        permit.ignore();
                    }
                }
                case FAILED, NEVER_STARTED -> permit.ignore();
            }
        } catch (Throwable thrown) {
            attempt.core().collaborators.failed(Collaborators.Kind.LIMITER, thrown);
        }
    }

    /** What nobody waits for: a displaced value, events, the report of a straggler that left. */
    static void afterwards(AttemptRun attempt, Outcome outcome, long nanos, @Nullable Throwable failure) {
        Call call = attempt.call();
        Core core = call.core;
        boolean mine = call.isDecider(attempt);
        if (mine) {
            Extras extras = call.extras();
            if (extras != null) {
                extras.discardKept(core);
            }
        }
        if (core.collaborators.hasListener()) {
            core.collaborators.attemptEnded(attempt, outcome, nanos, failure);
            if (mine) {
                call.cancelLosers();
                boolean won = outcome == Outcome.WON;
                core.collaborators.callEnded(
                        attempt.callId(),
                        won ? CallOutcome.WON : CallOutcome.FAILED,
                        won ? attempt.number() : -1,
                        call.attemptCount());
            }
        }
        Cancellation present = attempt.cancellation();
        if (present != null) {
            present.reportExit();
        }
    }
}
