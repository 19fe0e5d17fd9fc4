package dev.hedgescope.internal.race;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Decide against decide: an attempt has a value while the deadline of its call passes. */
public final class DecisionRace {

    private DecisionRace() {}

    @JCStressTest
    @Outcome(id = "value, 0 of 1", expect = Expect.ACCEPTABLE, desc = "The attempt decided; its value is delivered.")
    @Outcome(id = "timed out, 1 of 1", expect = Expect.ACCEPTABLE, desc = "The deadline did; the value is discarded.")
    @Outcome(id = "timed out, 0 of 0", expect = Expect.ACCEPTABLE, desc = "The deadline did, before the task ran.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A value was delivered and discarded, or neither, or not readable.")
    @State
    public static class Real {

        private final Rig.OpenCall call = new Rig.OpenCall();
        private int made;
        private int discarded;
        private final AttemptRun attempt = call.attempt(
                a -> {
                    made++;
                    return "value";
                },
                null);

        public Real() {
            call.needExtras().onDiscard = value -> discarded++;
        }

        @Actor
        public void attempt() {
            attempt.run();
        }

        @Actor
        public void caller(LL_Result r) {
            if (call.decide(Call.Ending.TIMED_OUT)) {
                r.r1 = "timed out";
                return;
            }
            while (call.state() != Call.PUBLISHED) {
                Thread.onSpinWait();
            }
            r.r1 = attempt.result();
        }

        @Arbiter
        public void count(LL_Result r) {
            r.r2 = discarded + " of " + made;
        }
    }

    /** Looks whether the call is open, then decides it, in two steps. */
    @JCStressTest
    @Outcome(id = "value, 0 of 1", expect = Expect.ACCEPTABLE, desc = "The attempt decided; its value is delivered.")
    @Outcome(id = "timed out, 1 of 1", expect = Expect.ACCEPTABLE, desc = "The deadline did; the value is discarded.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "Both decided.")
    @State
    public static class Broken {

        private volatile boolean decided;
        private volatile @Nullable String result;
        private int discarded;

        @Actor
        public void attempt() {
            if (decided) {
                discarded++;
            } else {
                decided = true;
                result = "value";
            }
        }

        @Actor
        public void caller(LL_Result r) {
            if (decided) {
                while (result == null) {
                    Thread.onSpinWait();
                }
                r.r1 = Objects.requireNonNull(result);
            } else {
                decided = true;
                result = "timed out";
                r.r1 = "timed out";
            }
        }

        @Arbiter
        public void count(LL_Result r) {
            r.r2 = discarded + " of 1";
        }
    }
}
