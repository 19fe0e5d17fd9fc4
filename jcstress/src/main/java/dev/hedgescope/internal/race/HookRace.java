package dev.hedgescope.internal.race;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * A hook in progress against completion: when a guarded step has ended, or the attempt has left, its hook does not run and
 * never will. Otherwise the hook cancels the next statement on a connection that went back to its pool.
 */
public final class HookRace {

    private HookRace() {}

    /** What the hook works on. */
    private static final class Connection {

        private volatile boolean begun;
        private volatile boolean returned;
        private String hook = "no hook";

        void cancel() {
            boolean late = returned;
            begun = true;
            for (int i = 0; i < 20; i++) {
                Thread.onSpinWait();
            }
            hook = late || returned ? "late hook" : "hook";
        }
    }

    @JCStressTest
    @Outcome(id = "step, no hook", expect = Expect.ACCEPTABLE, desc = "The step ended before its hook was taken.")
    @Outcome(
            id = "step, hook",
            expect = Expect.ACCEPTABLE,
            desc = "The hook ran, and the end of the step waited for it.")
    @Outcome(id = "no step, no hook", expect = Expect.ACCEPTABLE, desc = "Cancelled before the step.")
    @Outcome(id = "no step, hook", expect = Expect.ACCEPTABLE, desc = "Cancelled between the hook and the step.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The hook ran, or still ran, after the step had ended.")
    @State
    public static class EndOfStep {

        private final Rig.OpenCall call = new Rig.OpenCall();
        private final Connection connection = new Connection();
        private String step = "no step";
        private volatile boolean armed;
        private final AttemptRun attempt = call.attempt(
                a -> {
                    try {
                        a.onCancel(connection::cancel, () -> {
                            armed = true;
                            Rig.meet(() -> connection.begun);
                            return step = "step";
                        });
                    } finally {
                        connection.returned = true;
                    }
                    return null;
                },
                null);

        @Actor
        public void attempt(LL_Result r) {
            attempt.run();
            r.r1 = step;
        }

        @Actor
        public void canceller() {
            Rig.meet(() -> armed);
            call.decide(Call.Ending.TIMED_OUT);
            call.cancelLosers();
        }

        @Arbiter
        public void look(LL_Result r) {
            r.r2 = connection.hook;
        }
    }

    @JCStressTest
    @Outcome(id = "open, no hook", expect = Expect.ACCEPTABLE, desc = "The attempt left before its hook was taken.")
    @Outcome(id = "open, hook", expect = Expect.ACCEPTABLE, desc = "The hook ran, and leaving waited for it.")
    @Outcome(id = "not run, no hook", expect = Expect.ACCEPTABLE, desc = "The attempt backed out.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The hook ran, or still ran, after the attempt had left.")
    @State
    public static class Leaving {

        private final Rig.OpenCall call = new Rig.OpenCall();
        private final Connection connection = new Connection();
        private String task = "not run";
        private volatile boolean armed;
        private final AttemptRun attempt = call.attempt(
                a -> {
                    a.onCancel(connection::cancel);
                    task = "open";
                    armed = true;
                    Rig.meet(() -> connection.begun);
                    return null;
                },
                new Rig.OnSettled(verb -> connection.returned = true));

        @Actor
        public void attempt(LL_Result r) {
            attempt.run();
            r.r1 = task;
        }

        @Actor
        public void canceller() {
            Rig.meet(() -> armed);
            call.decide(Call.Ending.TIMED_OUT);
            call.cancelLosers();
        }

        @Arbiter
        public void look(LL_Result r) {
            r.r2 = connection.hook;
        }
    }

    /** The step ends without waiting for a hook that was taken. */
    @JCStressTest
    @Outcome(id = "step, no hook", expect = Expect.ACCEPTABLE, desc = "The step ended before its hook was taken.")
    @Outcome(id = "step, hook", expect = Expect.ACCEPTABLE, desc = "The hook ran before the step ended.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The hook ran, or still ran, after the step had ended.")
    @State
    public static class Broken {

        private final Connection connection = new Connection();
        private volatile boolean armed = true;

        @Actor
        public void attempt(LL_Result r) {
            r.r1 = "step";
            armed = false;
            connection.returned = true;
        }

        @Actor
        public void canceller(LL_Result r) {
            if (armed) {
                connection.cancel();
            }
            r.r2 = connection.hook;
        }
    }
}
