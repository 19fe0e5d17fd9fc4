package dev.hedgescope.internal.race;

import dev.hedgescope.HedgeListener;
import dev.hedgescope.HedgeListener.AttemptEnded;
import dev.hedgescope.HedgeListener.AttemptStarted;
import dev.hedgescope.HedgeListener.CallEnded;
import dev.hedgescope.HedgeListener.CallOutcome;
import dev.hedgescope.HedgeListener.HedgeSkipped;
import dev.hedgescope.HedgeListener.StragglerSeen;
import dev.hedgescope.HedgeListener.Trigger;
import dev.hedgescope.HedgeSkip;
import dev.hedgescope.Outcome;
import dev.hedgescope.Straggler;
import dev.hedgescope.internal.time.Seam;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The one place where code of the user that must not change a result is called: what it throws is counted, and logged
 * once per kind.
 */
final class Collaborators {

    /** Who threw. */
    enum Kind {
        LISTENER,
        HOOK,
        DISCARD,
        WRAPPER,
        LIMITER,
        BUDGET,
        REPLICAS,
        PREDICATE,
        THREAD
    }

    private final String operation;
    private final Tally tally;
    private final @Nullable HedgeListener listener;
    private final Set<Kind> logged = ConcurrentHashMap.newKeySet();

    Collaborators(String operation, Tally tally, @Nullable HedgeListener listener) {
        this.operation = operation;
        this.tally = tally;
        this.listener = listener;
    }

    boolean hasListener() {
        return listener != null;
    }

    void attemptStarted(AttemptRun attempt) {
        HedgeListener to = listener;
        if (to != null) {
            contain(
                    Kind.LISTENER,
                    () -> to.onAttemptStarted(new AttemptStarted(
                            operation,
                            attempt.callId(),
                            attempt.number(),
                            attempt.replicaName(),
                            Optional.ofNullable(attempt.trigger()))));
        }
    }

    void attemptEnded(AttemptRun attempt, Outcome outcome, long nanos, @Nullable Throwable failure) {
        HedgeListener to = listener;
        if (to != null) {
            contain(
                    Kind.LISTENER,
                    () -> to.onAttemptEnded(new AttemptEnded(
                            operation,
                            attempt.callId(),
                            attempt.number(),
                            attempt.replicaName(),
                            outcome,
                            Duration.ofNanos(Math.max(0, nanos)),
                            failure)));
        }
    }

    void hedgeSkipped(Call call, int number, Trigger trigger, HedgeSkip reason) {
        tally.skipped(reason);
        HedgeListener to = listener;
        if (to != null) {
            contain(
                    Kind.LISTENER,
                    () -> to.onHedgeSkipped(new HedgeSkipped(operation, call.id(), number, trigger, reason)));
        }
    }

    void callEnded(long call, CallOutcome outcome, int winner, int attempts) {
        HedgeListener to = listener;
        if (to != null) {
            contain(Kind.LISTENER, () -> to.onCallEnded(new CallEnded(operation, call, outcome, winner, attempts)));
        }
    }

    /** Reports a straggler past its threshold, or that it has left. */
    void straggler(Straggler straggler, boolean left) {
        contain(Kind.LISTENER, () -> {
            String words = Messages.straggler(straggler, left);
            if (left) {
                log(Level.INFO, words, null);
            } else {
                Throwable where = new Throwable("stack of the straggler");
                where.setStackTrace(straggler.stack().toArray(StackTraceElement[]::new));
                log(Level.WARNING, words, where);
            }
        });
        HedgeListener to = listener;
        if (to != null) {
            contain(Kind.LISTENER, () -> to.onStraggler(new StragglerSeen(straggler, left)));
        }
    }

    <V extends @Nullable Object> void discard(Consumer<? super V> discard, V value) {
        contain(Kind.DISCARD, () -> discard.accept(value));
    }

    /** Runs code of the user whose failure changes nothing. */
    private void contain(Kind kind, Runnable code) {
        Seam.at();
        try {
            code.run();
        } catch (Throwable thrown) {
            failed(kind, thrown);
        }
        Seam.at();
    }

    /**
     * Looked up for each message: a static initialiser that takes locks would pin the threads that wait for it. A log
     * that throws is counted, and nothing more can be done about it.
     */
    private void log(Level level, String words, @Nullable Throwable thrown) {
        try {
            System.getLogger("dev.hedgescope").log(level, words, thrown);
        } catch (Throwable fromLog) {
            tally.collaboratorFailures.increment();
        }
    }

    /** Counts what a collaborator threw, and logs the first of its kind. */
    void failed(Kind kind, Throwable thrown) {
        tally.collaboratorFailures.increment();
        if (logged.add(kind)) {
            log(
                    Level.WARNING,
                    "%s: a %s threw; this is counted, changes no result, and is not logged again"
                            .formatted(operation, kind.name().toLowerCase(Locale.ROOT)),
                    thrown);
        }
    }
}
