package dev.hedgescope.internal.race;

import dev.hedgescope.Attempt;
import dev.hedgescope.HedgePolicy;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A call in the form of a scope, used by its owner thread alone.
 *
 * <pre>
 *   OPEN ──fork──► FORKED ──join──► JOINED ──close──► CLOSED
 *     └──────close──────┴─close (cancels, then complains)─►┘
 * </pre>
 */
public final class ScopeCall {

    private enum Phase {
        OPEN,
        FORKED,
        JOINED,
        CLOSED
    }

    private final Core core;
    private final HedgePolicy policy;
    private final Coordinator call;
    private final Extras extras;
    private final Forks forks = new Forks();
    private Phase phase = Phase.OPEN;

    /** Opens a scope of the calling thread. */
    public ScopeCall(Core core, HedgePolicy policy) {
        if (core.registry.isClosed()) {
            throw core.closedException();
        }
        this.core = core;
        this.policy = policy;
        this.call = new Coordinator(core, policy);
        this.extras = call.needExtras();
    }

    public void acceptIf(Predicate<@Nullable Object> predicate) {
        require(Phase.OPEN, "acceptIf", "before the first fork");
        extras.acceptIf = predicate;
    }

    public void onDiscard(Consumer<@Nullable Object> discard) {
        require(Phase.OPEN, "onDiscard", "before the first fork");
        extras.onDiscard = discard;
    }

    /** Adds one attempt: the first is started now, if a permit is free. */
    public void fork(Attempt.Task<?, ?> task) {
        checkOwner();
        if (phase == Phase.FORKED && extras.source == forks && forks.size() < policy.maxAttempts()) {
            forks.add(task);
            return;
        }
        if (phase == Phase.FORKED) {
            throw new IllegalStateException(
                    extras.source == forks
                            ? "%s: fork %d of at most %d attempts"
                                    .formatted(core.name, forks.size() + 1, policy.maxAttempts())
                            : core.name + ": replicas were forked, nothing can be added");
        }
        require(Phase.OPEN, "fork", "before join");
        forks.add(task);
        first(forks);
    }

    /** Adds all attempts at once, each on another replica. */
    public void fork(Source route) {
        require(Phase.OPEN, "fork of replicas", "once, and nothing beside it");
        first(route);
    }

    private void first(Source source) {
        extras.source = source;
        call.begin();
        phase = Phase.FORKED;
        call.admit(null, false);
    }

    /** Waits until the call is decided. {@return its value} */
    public @Nullable Object join() throws Throwable {
        require(Phase.FORKED, "join", "once, after a fork");
        phase = Phase.JOINED;
        if (call.newest() == null && !call.isDecided()) {
            call.admit(null, true);
        }
        call.coordinateLater();
        call.conclude();
        call.restoreInterrupt();
        return Verdict.deliver(call, true);
    }

    /** Ends the scope. */
    public void close() {
        checkOwner();
        Phase before = phase;
        phase = Phase.CLOSED;
        if (before == Phase.FORKED) {
            if (!call.decide(Call.Ending.SCOPE_CLOSED)) {
                call.coordinate(); // until the decider has published
            }
            call.conclude();
            call.discardResult();
        }
        if (before != Phase.OPEN && before != Phase.CLOSED && call.awaitsLosers()) {
            call.awaitLosers();
        }
        call.restoreInterrupt();
        if (before == Phase.FORKED) {
            throw new IllegalStateException(core.name + ": the scope was closed without a join");
        }
    }

    private void require(Phase expected, String what, String when) {
        checkOwner();
        if (phase != expected) {
            throw new IllegalStateException("%s: %s is allowed %s".formatted(core.name, what, when));
        }
    }

    private void checkOwner() {
        Thread current = Thread.currentThread();
        if (current != call.caller) {
            throw new WrongThreadException("HedgeScope is used by '%s' but was opened by '%s'"
                    .formatted(current.getName(), call.caller.getName()));
        }
    }
}
