package dev.hedgescope.internal.race;

import dev.hedgescope.HedgeException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the caller of a decided call gets: a value, or a failure put together from its attempts'. */
final class Verdict {

    private Verdict() {}

    /**
     * {@return the value of the call} Otherwise throws its failure; that of a task inside a {@link HedgeException.Failed}
     * if {@code wrapped}.
     */
    static @Nullable Object deliver(Coordinator call, boolean wrapped) throws Throwable {
        Object by = call.decider();
        if (by instanceof AttemptRun attempt) {
            AttemptRun.Failure failure = attempt.failure();
            if (failure != null) {
                throw failure(call, failure, wrapped);
            }
            return attempt.result();
        }
        if (by instanceof Call.Ending ending) {
            return deliver(call, ending, wrapped);
        }
        throw wrap(call, (Throwable) by, wrapped);
    }

    private static @Nullable Object deliver(Coordinator call, Call.Ending ending, boolean wrapped) throws Throwable {
        String name = call.core.name;
        switch (ending) {
            case EXHAUSTED, TIMED_OUT -> {
                Extras extras = call.extras();
                @Nullable Object[] kept = extras == null ? null : extras.closeSlot();
                if (kept != null) {
                    return kept[0];
                }
                if (ending == Call.Ending.EXHAUSTED) {
                    throw failure(call, Objects.requireNonNull(lowestFailure(call)), wrapped);
                }
                String words = Objects.requireNonNull(call.needExtras().timedOut);
                throw Failures.suppressing(new HedgeException.TimedOut(words), call.newest());
            }
            case INTERRUPTED -> throw new InterruptedException(name + ": interrupted " + Messages.attempts(call));
            case HEDGER_CLOSED, SCOPE_CLOSED -> throw Failures.suppressing(call.core.closedException(), call.newest());
            case REFUSED -> throw new HedgeException.Refused(Messages.refused(call.core));
            case NO_REPLICA -> throw new HedgeException.Refused(name + ": primary refused, no replica is available");
        }
        throw new AssertionError(ending);
    }

    private static AttemptRun.@Nullable Failure lowestFailure(Coordinator call) {
        AttemptRun.Failure lowest = null;
        for (AttemptRun attempt = call.newest(); attempt != null; attempt = attempt.older()) {
            AttemptRun.Failure failure = attempt.failure();
            lowest = failure == null ? lowest : failure;
        }
        return lowest;
    }

    private static Throwable failure(Coordinator call, AttemptRun.Failure failure, boolean wrapped) {
        return wrap(call, Failures.suppressing(failure.thrown(), call.newest()), wrapped);
    }

    private static Throwable wrap(Coordinator call, Throwable thrown, boolean wrapped) {
        return wrapped ? new HedgeException.Failed(Messages.failed(call), thrown) : thrown;
    }
}
