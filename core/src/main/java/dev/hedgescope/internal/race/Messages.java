package dev.hedgescope.internal.race;

import dev.hedgescope.Limiter;
import dev.hedgescope.Straggler;
import dev.hedgescope.internal.time.Nanos;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** The words of exceptions and logs: who, what, numbers; one clause per attempt; the state around. */
final class Messages {

    private Messages() {}

    static String attempt(AttemptRun attempt) {
        String replica = attempt.replicaName();
        return "%s: attempt %d%s"
                .formatted(attempt.core().name, attempt.number(), replica == null ? "" : " on " + replica);
    }

    static String timedOut(Coordinator call) {
        String limit = call.policy.deadline().map(Messages::words).orElse("the deadline of the call around it");
        return "%s: no acceptable result within %s %s%s"
                .formatted(call.core.name, limit, attempts(call), state(call.core));
    }

    static String failed(Coordinator call) {
        return "%s: failed %s%s".formatted(call.core.name, attempts(call), state(call.core));
    }

    static String refused(Core core) {
        List<Straggler> stragglers = core.stragglers();
        String by = stragglers.isEmpty()
                ? ""
                : ", %d by stragglers (oldest %s)".formatted(stragglers.size(), words(oldest(stragglers)));
        return core.name
                + ": primary refused"
                + permits(core, limiter -> ", all %d permits are held".formatted(limiter.limit()))
                + by;
    }

    static String straggler(Straggler straggler, boolean left) {
        String replica = straggler.replica() == null ? "" : " on " + straggler.replica();
        return "%s: attempt %d%s %s %s after it was cancelled"
                .formatted(
                        straggler.operation(),
                        straggler.attempt(),
                        replica,
                        left ? "left" : "still running",
                        words(straggler.sinceCancelled()));
    }

    /** {@return one clause per attempt, in parentheses} */
    static String attempts(Call call) {
        StringBuilder clauses = new StringBuilder();
        for (AttemptRun attempt = call.newest(); attempt != null; attempt = attempt.older()) {
            clauses.insert(0, clauses.isEmpty() ? clause(attempt) : clause(attempt) + "; ");
        }
        return clauses.isEmpty() ? "(no attempt was started)" : "(" + clauses + ")";
    }

    private static String clause(AttemptRun attempt) {
        String who = "#" + attempt.number() + (attempt.replicaName() == null ? "" : " " + attempt.replicaName());
        AttemptRun.Failure failure = attempt.failure();
        if (failure != null) {
            return "%s %s after %s"
                    .formatted(who, failure.thrown().getClass().getSimpleName(), Nanos.words(failure.nanos()));
        }
        if (attempt.state() == AttemptRun.PUBLISHED) {
            return who + " without an accepted value";
        }
        return who + (attempt.hasEntered() ? " running" : " starting");
    }

    private static String state(Core core) {
        int stragglers = core.stragglers().size();
        String permits =
                permits(core, limiter -> "; %d of %d permits held".formatted(limiter.inUse(), limiter.limit()));
        String late = stragglers == 0
                ? ""
                : "%s%d straggler%s".formatted(permits.isEmpty() ? "; " : ", ", stragglers, stragglers == 1 ? "" : "s");
        return permits + late;
    }

    /** {@return words about the limiter, none if it throws: a message must not keep a call from ending} */
    private static String permits(Core core, Function<Limiter, String> words) {
        Limiter limiter = core.limiter;
        try {
            return limiter == null ? "" : words.apply(limiter);
        } catch (Throwable thrown) {
            core.collaborators.failed(Collaborators.Kind.LIMITER, thrown);
            return "";
        }
    }

    private static Duration oldest(List<Straggler> stragglers) {
        return stragglers.stream()
                .map(Straggler::sinceCancelled)
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    private static String words(Duration duration) {
        return Nanos.words(Nanos.of(duration));
    }
}
