package dev.hedgescope.laws;

import dev.hedgescope.Attempt;
import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeListener;
import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.HedgeStats;
import dev.hedgescope.Hedger;
import dev.hedgescope.Outcome;
import dev.hedgescope.Replica;
import dev.hedgescope.Replicas;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** One hedger of a random scenario, with collaborators that look at what it does and go wrong at times. */
final class Operation {

    private static final double MILLIONTH = 1e-6;

    final Witness witness;
    final String name;
    final GaugedLimiter limiter;
    final Purse purse;
    final Replicas<String> replicas;
    final Hedger hedger;
    private final double faults;
    private final boolean wrapped;
    private final Duration stragglerAfter;

    /** A call of {@code close} has promised that nothing of this hedger runs any more. */
    boolean closed;

    private final Set<String> endedAttempts = new HashSet<>();
    private int userCode;
    private int bodies;
    private int begun;
    private int hedgesBegun;
    private int ended;
    private int calls;
    private int skips;

    /** A budget of which no deposit is lost, and all hedges that it pays for. */
    record Purse(HedgeBudget budget, double initial, double ratio, boolean counts) {}

    Operation(Witness witness, String name, GaugedLimiter limiter, Purse purse, double faults, boolean stalls) {
        this.witness = witness;
        this.name = name;
        this.limiter = limiter;
        this.purse = purse;
        this.faults = faults;
        this.wrapped = witness.chance(0.3);
        this.stragglerAfter = Duration.ofMillis(witness.chance(0.2) ? 0 : witness.random.nextInt(1, 30));
        HedgeRuntime runtime = new FaultyRuntime(this, stalls);
        this.replicas = Replicas.of(
                        List.of(
                                new Replica<>("a", "eu/1", "a"),
                                new Replica<>("b", "eu/2", "b"),
                                new Replica<>("c", "us/1", "c")),
                        runtime)
                .available(replica -> !fails("replica predicate") && !witness.chance(0.1));
        Hedger.Builder builder = Hedger.builder(name)
                .policy(RandomPolicies.policy(witness))
                .runtime(runtime)
                .budget(purse.budget)
                .stragglerAfter(stragglerAfter)
                .listener(new Watcher());
        if (limiter != null) {
            builder.limiter(limiter);
        }
        if (wrapped) {
            builder.wrapTasks(this::wrap);
        }
        this.hedger = builder.build();
    }

    /** Throws at times. {@return false} */
    boolean fails(String who) {
        if (witness.chance(faults)) {
            if (witness.chance(0.5)) {
                throw witness.injected(new IllegalArgumentException(who));
            }
            throw witness.injected(new StackOverflowError(who));
        }
        return false;
    }

    boolean happens() {
        return witness.chance(faults);
    }

    // User code

    /** Brackets code of the user that a thread of this hedger runs, or its caller. */
    void enter(String what) {
        if (isMine()) {
            if (closed) {
                witness.violated("L4", what + " runs after close");
            }
            userCode++;
        }
        witness.sim.point();
    }

    void leave() {
        if (isMine()) {
            userCode--;
        }
    }

    /** {@return whether the calling thread was started by this hedger} */
    private boolean isMine() {
        return Thread.currentThread().getName().startsWith(name);
    }

    /** {@return whether the attempt has settled its permit} */
    boolean hasEnded(Attempt attempt) {
        return attempt.toString().startsWith(name + ":")
                && endedAttempts.contains(attempt.callId() + "#" + attempt.number());
    }

    void enterTask() {
        bodies++;
        witness.mine().tasks++;
        enter("a task");
        if (limiter != null) {
            limiter.workBegins();
        }
    }

    void leaveTask() {
        if (limiter != null) {
            limiter.workEnds();
        }
        leave();
        witness.mine().tasks--;
    }

    private Runnable wrap(Runnable task) {
        fails("wrapper");
        if (happens()) {
            return null;
        }
        return () -> {
            fails("wrapper before");
            if (happens()) {
                return;
            }
            task.run();
            if (happens()) {
                task.run();
            }
            fails("wrapper after");
        };
    }

    /** Counts events, is slow at times, fails at times. */
    private final class Watcher implements HedgeListener {

        @Override
        public void onAttemptStarted(AttemptStarted event) {
            begun++;
            hedgesBegun += event.trigger().isPresent() ? 1 : 0;
            witness.mine().isAttempt = true;
            happened("listener of a start");
        }

        @Override
        public void onAttemptEnded(AttemptEnded event) {
            ended++;
            endedAttempts.add(event.call() + "#" + event.attempt());
            happened("listener of an end");
        }

        @Override
        public void onHedgeSkipped(HedgeSkipped event) {
            skips++;
            happened("listener of a skip");
        }

        @Override
        public void onStraggler(StragglerSeen event) {
            happened("listener of stragglers");
        }

        @Override
        public void onCallEnded(CallEnded event) {
            calls++;
            happened("listener of calls");
        }

        private void happened(String what) {
            witness.expectNoInterrupt(what);
            enter(what);
            try {
                if (happens()) {
                    witness.sim.sleepUninterruptibly(Duration.ofMillis(witness.random.nextInt(1, 8)));
                }
                fails(what);
            } finally {
                leave();
            }
            witness.expectNoInterrupt(what);
        }
    }

    // The end

    /** Called when {@code close} has promised that nothing runs any more. */
    void isClosed() {
        closed = true;
        if (userCode != 0) {
            witness.violated("L4", userCode + " threads run code of the user when " + name + " is closed");
        }
    }

    /** Checks the numbers at rest. */
    void check() {
        HedgeStats stats = hedger.stats();
        Laws.broken(stats).forEach(broken -> witness.violated("numbers", broken));
        expect("attempts begun", begun, ended);
        expect("hedges begun", stats.hedges() + stats.hedgesNeverStarted(), hedgesBegun);
        expect("calls", stats.calls(), calls);
        expect(
                "skips",
                stats.skips().values().stream().mapToLong(Long::longValue).sum(),
                skips);
        expect("attempts ended", stats.attempts() + stats.outcomes().get(Outcome.NEVER_STARTED), ended);
        if (!wrapped || faults == 0) {
            expect("task bodies", stats.attempts(), bodies);
        }
    }

    private void expect(String what, long counted, long seen) {
        if (counted != seen) {
            witness.violated("L10", name + ": " + what + ": " + counted + " counted, " + seen + " seen");
        }
    }

    /** Checks a purse against all that paid from it. */
    static void checkPurse(Witness witness, Purse purse, List<Operation> users) {
        if (!purse.counts) {
            return;
        }
        double computed = purse.initial;
        for (Operation user : users) {
            HedgeStats stats = user.hedger.stats();
            computed += purse.ratio * stats.won() - stats.hedges();
        }
        if (Math.abs(computed - purse.budget.balance()) > MILLIONTH) {
            witness.violated("L8", "the purse holds " + purse.budget.balance() + ", computed are " + computed);
        }
    }
}
