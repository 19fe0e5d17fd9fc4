package dev.hedgescope.laws;

import dev.hedgescope.Attempt;
import dev.hedgescope.Attempt.CancelHook;
import dev.hedgescope.Attempt.Registration;
import dev.hedgescope.laws.RandomPolicies.Fatal;
import dev.hedgescope.laws.Witness.CallRecord;
import dev.hedgescope.laws.Witness.Value;
import java.io.IOException;
import java.time.Duration;

/** What an attempt of a random scenario does: something else each time, drawn when it begins. */
final class RandomTask {

    private final RandomScenario scenario;
    private final Witness witness;
    private final CallRecord call;
    private final int depth;

    RandomTask(RandomScenario scenario, CallRecord call, int depth) {
        this.scenario = scenario;
        this.witness = scenario.witness;
        this.call = call;
        this.depth = depth;
    }

    /** The body of each attempt. */
    Value run(Attempt attempt) throws Exception {
        Operation operation = call.operation;
        operation.enterTask();
        call.inTask.add(attempt);
        scenario.lastAttempt = attempt;
        witness.sim.log("enter " + operation.name + " " + attempt.callId() + "#" + attempt.number());
        if (call.returned && !attempt.isCancelled()) {
            witness.violated("L6", "a task of a call that has returned begins and does not see that it is cancelled");
        }
        try {
            return act(attempt);
        } catch (Throwable thrown) {
            call.thrown.add(thrown);
            throw thrown;
        } finally {
            call.inTask.remove(attempt);
            operation.leaveTask();
        }
    }

    private Value act(Attempt attempt) throws Exception {
        switch (witness.random.nextInt(16)) {
            case 0, 1, 2 -> pause(3);
            case 3, 4 -> pause(25);
            case 5 -> {
                pause(4);
                throw new IOException("failure");
            }
            case 6 -> {
                pause(10);
                throw new IOException("slow failure");
            }
            case 7 -> {
                pause(4);
                throwFatal();
            }
            case 8 -> witness.sim.sleep(Duration.ofMillis(300));
            case 9 -> witness.sim.sleepUninterruptibly(Duration.ofMillis(witness.random.nextInt(1, 40)));
            case 10, 11 -> guarded(attempt);
            case 12 -> registered(attempt);
            case 13 -> nested(attempt);
            case 14 -> {
                pause(6);
                Thread.currentThread().interrupt();
            }
            default -> odd(attempt);
        }
        return value();
    }

    private Value value() {
        return witness.chance(0.05) && !call.discards ? null : witness.made(call, witness.chance(0.7));
    }

    private void pause(int most) throws InterruptedException {
        witness.sim.sleep(Duration.ofMillis(witness.random.nextInt(most)));
    }

    private void throwFatal() throws Fatal {
        if (witness.random.nextBoolean()) {
            throw new Fatal();
        }
        throw new AssertionError("fatal");
    }

    private void nested(Attempt attempt) throws Exception {
        if (depth == 0) {
            scenario.call(scenario.anyOperation(), depth + 1);
        } else {
            pause(5);
        }
    }

    private void odd(Attempt attempt) throws Exception {
        switch (witness.random.nextInt(4)) {
            case 0 -> scenario.closeFromInside(call.operation);
            case 1 -> attempt.deadline();
            case 2 -> throw new InterruptedException("the task's own");
            default -> throw new StackOverflowError("of the task");
        }
    }

    // Hooks

    private void guarded(Attempt attempt) throws Exception {
        Hook hook = new Hook(attempt, null);
        try {
            attempt.onCancel(hook, () -> {
                for (int i = witness.random.nextInt(1, 6); i > 0 && !hook.stopped; i--) {
                    if (witness.chance(0.7)) {
                        witness.sim.sleep(Duration.ofMillis(4));
                    } else {
                        witness.sim.sleepUninterruptibly(Duration.ofMillis(4));
                    }
                }
                if (witness.chance(0.2)) {
                    throw new IOException("of a step");
                }
                return "";
            });
        } finally {
            hook.isOver("guarded step");
        }
    }

    private void registered(Attempt attempt) throws Exception {
        Registration[] registrations = new Registration[witness.random.nextInt(1, 4)];
        Hook[] hooks = new Hook[registrations.length];
        for (int i = 0; i < registrations.length; i++) {
            Registration[] own = new Registration[1];
            hooks[i] = new Hook(attempt, own);
            own[0] = registrations[i] = attempt.onCancel(hooks[i]);
        }
        pause(15);
        for (int i = 0; i < registrations.length; i++) {
            if (witness.chance(0.6)) {
                registrations[i].close();
                hooks[i].isOver("registration");
            }
        }
    }

    /** A hook that blocks, throws, closes itself or its hedger at times, and knows when it must not run any more. */
    private final class Hook implements CancelHook {

        private final Attempt attempt;
        private final Registration[] registration;
        private boolean running;
        private boolean over;
        private int runs;
        boolean stopped;

        Hook(Attempt attempt, Registration[] registration) {
            this.attempt = attempt;
            this.registration = registration;
        }

        void isOver(String of) {
            over = true;
            if (running) {
                witness.violated("hooks", "a " + of + " ended while its hook ran");
            }
        }

        @Override
        public void cancel() throws Exception {
            call.operation.enter("a hook");
            running = true;
            try {
                check();
                act();
            } finally {
                running = false;
                call.operation.leave();
            }
            witness.expectNoInterrupt("hook");
        }

        private void check() {
            witness.expectNoInterrupt("hook");
            if (over || runs++ > 0 || call.operation.hasEnded(attempt)) {
                witness.violated("hooks", "a hook runs again, or after its step");
            }
            if (!attempt.isCancelled()) {
                witness.violated("hooks", "a hook runs though its attempt is not cancelled");
            }
        }

        private void act() throws Exception {
            switch (witness.random.nextInt(8)) {
                case 0 -> witness.sim.sleepUninterruptibly(Duration.ofMillis(witness.random.nextInt(1, 20)));
                case 1 -> throw new IOException("of a hook");
                case 2 -> throw new StackOverflowError("of a hook");
                case 3 -> scenario.closeFromInside(call.operation);
                case 4 -> {
                    if (registration != null && registration[0] != null) {
                        registration[0].close();
                    }
                }
                default -> stopped = true;
            }
        }
    }
}
