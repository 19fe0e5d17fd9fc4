package dev.hedgescope.internal.race;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * Start against decided (law L6): an attempt sets its state to running and looks at the call, while who decides the call
 * then looks at the attempt. One of the two sees the other.
 */
public final class StartRace {

    private StartRace() {}

    @JCStressTest
    @Outcome(
            id = "not run, starting, ignore",
            expect = Expect.ACCEPTABLE,
            desc = "Called off, or it backed out: it was still starting when the call was decided.")
    @Outcome(
            id = "not run, begun, ignore",
            expect = Expect.ACCEPTABLE,
            desc = "It backed out: it was running, then saw that the call is decided.")
    @Outcome(id = "run, begun, drop", expect = Expect.ACCEPTABLE, desc = "It ran before the call was decided.")
    @Outcome(id = "run, begun, success", expect = Expect.ACCEPTABLE, desc = "It ran, and decided the call itself.")
    @Outcome(
            expect = Expect.FORBIDDEN,
            desc = "It ran after the call was decided, or ran blind, or ran and backed out as well.")
    @State
    public static class Real {

        private final Rig.OpenCall call = new Rig.OpenCall();
        private volatile boolean decided;
        private String task = "not run";
        private String settled = "held";
        private final AttemptRun attempt = call.attempt(
                a -> {
                    boolean late = decided;
                    task = late && !a.isCancelled() ? "run blind" : "run";
                    return null;
                },
                new Rig.OnSettled(verb -> settled = verb));

        @Actor
        public void attempt(LLL_Result r) {
            attempt.run();
            r.r1 = task;
            r.r3 = settled;
        }

        @Actor
        public void canceller(LLL_Result r) {
            if (call.claim(Call.Ending.TIMED_OUT)) {
                boolean starting = !attempt.hasEntered();
                decided = true;
                call.publish();
                r.r2 = starting ? "starting" : "begun";
            } else {
                r.r2 = "begun";
            }
            call.cancelLosers();
        }
    }

    /** Looks at the call first, and sets its state to running then. */
    @JCStressTest
    @Outcome(id = "not run, starting", expect = Expect.ACCEPTABLE, desc = "It did not start.")
    @Outcome(id = "run, begun", expect = Expect.ACCEPTABLE, desc = "It ran before the call was decided.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It ran after the call was decided.")
    @State
    public static class Broken {

        private volatile boolean decided;
        private volatile boolean running;

        @Actor
        public void attempt(LL_Result r) {
            if (decided) {
                r.r1 = "not run";
            } else {
                running = true;
                r.r1 = "run";
            }
        }

        @Actor
        public void canceller(LL_Result r) {
            decided = true;
            r.r2 = running ? "begun" : "starting";
        }
    }
}
