package dev.hedgescope.internal.race;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Leaving, or backing out, against the interrupt (law L7). */
public final class InterruptRace {

    private InterruptRace() {}

    /** What the attempt's thread sees once it has left the task, and what the interrupter sees. */
    private static final class Sight {

        private volatile boolean left;
        private String flag = "clear";
        private String interrupt = "none";

        /** On the attempt's thread, first thing after the task was left. */
        void leave(boolean flagSet) {
            left = true;
            look(flagSet);
        }

        void look(boolean flagSet) {
            if (flagSet) {
                flag = "set";
            }
        }

        /** On the interrupter's thread, once the thread was interrupted. */
        void interrupted() {
            interrupt = left ? "late" : "in time";
        }
    }

    private static void interrupt(AttemptRun attempt, Sight sight) {
        Rig.interruptingBy(
                thread -> {
                    thread.interrupt();
                    sight.interrupted();
                },
                attempt::interrupt);
    }

    @JCStressTest
    @Outcome(id = "clear, none", expect = Expect.ACCEPTABLE, desc = "It left before it was interrupted.")
    @Outcome(id = "clear, in time", expect = Expect.ACCEPTABLE, desc = "It was interrupted before it left.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An interrupt came after it had left, or its flag was still set then.")
    @State
    public static class Leaving {

        private final Rig.OpenCall call = new Rig.OpenCall();
        private final Sight sight = new Sight();
        private final AttemptRun attempt = call.attempt(
                a -> {
                    Rig.meet(a::isCancelled);
                    return null;
                },
                new Rig.OnSettled(verb -> sight.leave(Thread.currentThread().isInterrupted())));

        @Actor
        public void attempt(LL_Result r) {
            attempt.run();
            sight.look(Thread.interrupted());
            r.r1 = sight.flag;
        }

        @Actor
        public void canceller(LL_Result r) {
            Rig.meet(attempt::isInTask);
            call.decide(Call.Ending.TIMED_OUT);
            interrupt(attempt, sight);
            r.r2 = sight.interrupt;
        }
    }

    @JCStressTest
    @Outcome(id = "clear, none", expect = Expect.ACCEPTABLE, desc = "It was called off, or had left.")
    @Outcome(
            id = "clear, in time",
            expect = Expect.ACCEPTABLE,
            desc = "It was interrupted while it backed out, or ran.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An interrupt came after it had left, or its flag was still set then.")
    @State
    public static class BackingOut {

        private final Rig.OpenCall call = new Rig.OpenCall();
        private final Sight sight = new Sight();
        private final AttemptRun attempt = call.attempt(
                a -> null,
                new Rig.OnSettled(verb -> sight.leave(Thread.currentThread().isInterrupted())));

        @Actor
        public void attempt(LL_Result r) {
            attempt.run();
            sight.look(Thread.interrupted());
            r.r1 = sight.flag;
        }

        @Actor
        public void canceller(LL_Result r) {
            call.decide(Call.Ending.TIMED_OUT);
            Rig.meet(attempt::hasEntered);
            interrupt(attempt, sight);
            r.r2 = sight.interrupt;
        }
    }

    /** The attempt does not wait for an interrupter who has found it running. */
    @JCStressTest
    @Outcome(id = "clear, none", expect = Expect.ACCEPTABLE, desc = "It left before it was interrupted.")
    @Outcome(id = "clear, in time", expect = Expect.ACCEPTABLE, desc = "It was interrupted before it left.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "An interrupt came after it had left.")
    @State
    public static class Broken {

        private final Sight sight = new Sight();
        private volatile boolean running = true;
        private volatile boolean flag;

        @Actor
        public void attempt(LL_Result r) {
            running = false;
            flag = false;
            sight.leave(flag);
            r.r1 = sight.flag;
        }

        @Actor
        public void canceller(LL_Result r) {
            if (running) {
                flag = true;
                sight.interrupted();
            }
            r.r2 = sight.interrupt;
        }
    }
}
