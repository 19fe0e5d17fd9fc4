package dev.hedgescope.laws;

import dev.hedgescope.Attempt;
import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeException;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeScope;
import dev.hedgescope.Straggler;
import dev.hedgescope.laws.Operation.Purse;
import dev.hedgescope.laws.Witness.CallRecord;
import dev.hedgescope.laws.Witness.Value;
import dev.hedgescope.testing.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.random.RandomGenerator;

/** A random scenario: one or two hedgers, callers, and threads that interrupt, close and change things meanwhile. */
final class RandomScenario {

    final Witness witness;
    private final Simulation sim;
    private final RandomGenerator random;
    private final List<Operation> operations = new ArrayList<>();
    private final List<GaugedLimiter> limiters = new ArrayList<>();
    private final List<Purse> purses = new ArrayList<>();
    private final List<Caller> callers = new ArrayList<>();

    /** The attempt that entered its task last, for those who use it too late. */
    Attempt lastAttempt;

    private RandomScenario(Simulation sim) {
        this.sim = sim;
        this.witness = new Witness(sim);
        this.random = sim.random();
    }

    /** Runs one, as the main thread of the simulation. */
    static void run(Simulation sim) throws Exception {
        new RandomScenario(sim).run();
    }

    private void run() throws Exception {
        build();
        for (int i = random.nextInt(3) + 1; i > 0; i--) {
            Caller caller = new Caller();
            callers.add(caller);
            caller.thread = sim.start("caller-" + callers.size(), caller);
        }
        List<Thread> others = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            others.add(sim.start("other-" + i, this::disturb));
        }
        for (Caller caller : callers) {
            sim.join(caller.thread);
        }
        for (Thread other : others) {
            sim.join(other);
        }
        for (Operation operation : operations) {
            operation.hedger.close();
            operation.isClosed();
        }
        sim.joinAll();
        limiters.forEach(GaugedLimiter::checkSettled);
        operations.forEach(Operation::check);
        for (Purse purse : purses) {
            Operation.checkPurse(
                    witness,
                    purse,
                    operations.stream().filter(each -> each.purse == purse).toList());
        }
        witness.verify();
    }

    // Setting up

    private void build() {
        double faults = random.nextInt(3) == 0 ? 0.05 : 0;
        boolean parks = random.nextInt(4) == 0;
        int count = random.nextInt(4) == 0 ? 2 : 1;
        GaugedLimiter limiter = limiter(faults, parks);
        Purse purse = purse();
        for (int i = 0; i < count; i++) {
            boolean shares = random.nextBoolean();
            operations.add(new Operation(
                    witness,
                    "op" + i,
                    i == 0 || shares ? limiter : limiter(faults, parks),
                    i == 0 || shares ? purse : purse(),
                    faults,
                    parks));
        }
    }

    private GaugedLimiter limiter(double faults, boolean parks) {
        if (random.nextInt(4) == 0) {
            return null;
        }
        GaugedLimiter limiter = new GaugedLimiter(witness, random.nextInt(1, 5), faults, parks);
        limiters.add(limiter);
        return limiter;
    }

    private Purse purse() {
        Purse purse = switch (random.nextInt(6)) {
            case 0 -> new Purse(HedgeBudget.none(), 0, 0, false);
            case 1, 2 -> new Purse(HedgeBudget.unlimited(), 0, 0, false);
            default -> {
                int initial = random.nextInt(5);
                yield new Purse(
                        HedgeBudget.builder()
                                .ratio(0.5)
                                .burst(100)
                                .initial(initial)
                                .runtime(sim.runtime())
                                .build(),
                        initial,
                        0.5,
                        true);
            }
        };
        purses.add(purse);
        return purse;
    }

    Operation anyOperation() {
        return operations.get(random.nextInt(operations.size()));
    }

    // Callers

    /** A thread that makes calls, and knows whether it was interrupted. */
    private final class Caller implements Simulation.Action {

        Thread thread;
        boolean interrupted;

        /** Somebody is about to interrupt it. */
        private boolean aimedAt;

        /** It looked at its flag just then, and so does not know any more what to expect. */
        private boolean unsure;

        void interrupt() {
            aimedAt = true;
            interrupted = true;
            sim.interrupt(thread);
            aimedAt = false;
        }

        @Override
        public void run() {
            for (int i = random.nextInt(1, 3); i > 0; i--) {
                if (random.nextInt(4) == 0) {
                    sim.sleepUninterruptibly(Duration.ofMillis(random.nextInt(10)));
                }
                Throwable thrown = null;
                try {
                    call(anyOperation(), 0);
                } catch (Throwable e) {
                    thrown = e;
                }
                // A call that was interrupted once more while it waited for its losers is told in both ways.
                checkFlag(thrown instanceof InterruptedException, thrown);
            }
        }

        /** Called when the library threw {@code InterruptedException} on its own account. */
        void isTold() {
            unsure |= aimedAt;
            if (!interrupted && !unsure) {
                witness.violated("L9", "a caller that nobody interrupted is told so");
            }
            interrupted = Thread.currentThread().isInterrupted(); // there may have been another one meanwhile
        }

        /** Who was interrupted and not told finds the flag set, nobody else does. */
        private void checkFlag(boolean told, Throwable thrown) {
            boolean flag = Thread.interrupted();
            unsure |= aimedAt;
            if (flag != interrupted && !told && !unsure) {
                witness.violated("L9", "interrupted: %s, flag: %s, thrown: %s".formatted(interrupted, flag, thrown));
            }
            interrupted = false;
        }
    }

    private void isTold(CallRecord call, InterruptedException thrown) {
        if (!call.thrown.contains(thrown)) {
            callers.stream()
                    .filter(each -> each.thread == Thread.currentThread())
                    .forEach(Caller::isTold);
        }
    }

    /** Makes a call or a scope, and checks what comes out. */
    void call(Operation operation, int depth) throws Exception {
        boolean scoped = random.nextInt(3) == 0;
        CallRecord call = new CallRecord(operation, scoped && random.nextInt(4) != 0);
        RandomTask task = new RandomTask(this, call, depth);
        HedgePolicy policy = random.nextBoolean() ? operation.hedger.policy() : RandomPolicies.policy(witness);
        call.awaits = policy.losers() == HedgePolicy.Losers.AWAIT;
        try {
            Value value = scoped ? scope(call, policy, task) : plain(call, policy, task);
            sim.log("value of " + operation.name);
            if (!scoped) {
                call.ends(witness);
                witness.delivered(value, call);
            }
        } catch (Throwable thrown) {
            sim.log(thrown.getClass().getSimpleName() + " of " + operation.name);
            call.ends(witness);
            checkFailure(call, thrown);
            throw thrown;
        }
    }

    private Value plain(CallRecord call, HedgePolicy policy, RandomTask task) throws Exception {
        Operation operation = call.operation;
        try {
            return plainly(operation, policy, task);
        } catch (InterruptedException e) {
            isTold(call, e);
            throw e;
        }
    }

    private Value plainly(Operation operation, HedgePolicy policy, RandomTask task) throws Exception {
        return random.nextInt(3) == 0
                ? operation.hedger.call(policy, operation.replicas, (attempt, replica) -> task.run(attempt))
                : operation.hedger.call(policy, task::run);
    }

    private Value scope(CallRecord call, HedgePolicy policy, RandomTask task) throws Exception {
        Operation operation = call.operation;
        Value value = null;
        try (HedgeScope<Value> scope = operation.hedger.open(policy)) {
            if (random.nextInt(3) != 0) {
                scope.acceptIf(each -> accepts(operation, each));
            }
            if (call.discards) {
                scope.onDiscard(each -> discard(operation, each));
            }
            if (random.nextInt(3) == 0) {
                scope.fork(operation.replicas, (attempt, replica) -> task.run(attempt));
            } else {
                for (int i = random.nextInt(1, policy.maxAttempts() + 1); i > 0; i--) {
                    scope.fork(task::run);
                }
            }
            if (random.nextInt(6) == 0) {
                sim.sleepUninterruptibly(Duration.ofMillis(random.nextInt(20)));
            }
            if (random.nextInt(6) != 0) {
                try {
                    value = scope.join();
                } catch (InterruptedException e) {
                    isTold(call, e);
                    throw new CancellationException("of a scope that was interrupted");
                }
                witness.delivered(value, call);
            }
        }
        call.ends(witness);
        return value;
    }

    private boolean accepts(Operation operation, Value value) {
        operation.enter("a predicate");
        try {
            witness.expectNoInterrupt("predicate");
            operation.fails("acceptIf");
            return value == null || value.acceptable;
        } finally {
            operation.leave();
        }
    }

    private void discard(Operation operation, Value value) {
        boolean own = value.giver == Thread.currentThread();
        witness.expectNoInterrupt("discard");
        operation.enter("a discard");
        if (own && operation.limiter != null) {
            operation.limiter.workBegins();
        }
        try {
            witness.discarded(value);
            if (operation.happens()) {
                sim.sleepUninterruptibly(Duration.ofMillis(random.nextInt(1, 8)));
            }
            operation.fails("discard");
        } finally {
            if (own && operation.limiter != null) {
                operation.limiter.workEnds();
            }
            operation.leave();
        }
    }

    private void checkFailure(CallRecord call, Throwable thrown) {
        Throwable cause = thrown instanceof HedgeException.Failed ? thrown.getCause() : thrown;
        boolean fine = call.thrown.contains(thrown)
                || call.thrown.contains(cause)
                || witness.wasInjected(cause)
                || cause instanceof HedgeException
                || cause instanceof CancellationException
                || cause instanceof InterruptedException
                || cause instanceof IllegalStateException
                || cause instanceof OutOfMemoryError; // a thread that the simulation did not start
        if (!fine) {
            witness.violated("outcome", "a call threw what nobody threw: " + cause);
            sim.log(String.valueOf(List.of(cause.getStackTrace())));
        }
    }

    // Others

    private void disturb() throws InterruptedException {
        sim.sleep(Duration.ofNanos(random.nextLong(20_000_000)));
        Operation operation = anyOperation();
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> {
                Caller caller = callers.get(random.nextInt(callers.size()));
                caller.interrupt();
            }
            case 3 -> {
                operation.hedger.close();
                operation.isClosed();
            }
            case 4 -> {
                List<Straggler> left = operation.hedger.close(Duration.ofMillis(random.nextInt(20)));
                if (left.isEmpty()) {
                    operation.isClosed();
                }
            }
            case 5 -> operation.hedger.awaitQuiet(Duration.ofMillis(random.nextInt(50)));
            case 6 -> operation.hedger.policy(RandomPolicies.policy(witness));
            case 7 -> limiters.forEach(limiter -> limiter.limit(random.nextInt(1, 5)));
            default -> {
                operation.hedger.stragglers();
                if (lastAttempt != null) {
                    lateHook(lastAttempt);
                }
            }
        }
    }

    /** Registers a hook from outside, maybe too late; it must not run once the attempt has ended. */
    private void lateHook(Attempt attempt) {
        attempt.onCancel(() -> {
            if (operations.stream().anyMatch(each -> each.hasEnded(attempt))) {
                witness.violated("hooks", "a hook runs after its attempt has ended");
            }
        });
    }

    /** Closes the hedger from one of its own threads: that stops intake and throws. */
    void closeFromInside(Operation operation) {
        try {
            operation.hedger.close();
            witness.violated("L4", "a thread of the hedger closed it and did not hear that it cannot");
        } catch (IllegalStateException expected) {
            sim.log("closed from inside");
        }
    }
}
