package dev.hedgescope.internal.race;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;

/** Adding to the watch against leaving: an attempt leaves its task while it is being cancelled. */
public final class WatchRace {

    private WatchRace() {}

    @JCStressTest
    @Outcome(
            id = "cancelled, not watched",
            expect = Expect.ACCEPTABLE,
            desc = "It was told to stop, and was taken out.")
    @Outcome(id = "left, not watched", expect = Expect.ACCEPTABLE, desc = "It left first; nobody watched it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It has left and stays on the watch: the watch never ends.")
    @State
    public static class Real {

        private final Rig.OpenCall call = new Rig.OpenCall();
        private final AttemptRun attempt = call.attempt(
                a -> {
                    Rig.meet(a::isCancelled);
                    return null;
                },
                null);

        @Actor
        public void attempt() {
            attempt.run();
        }

        @Actor
        public void canceller() {
            Rig.meet(attempt::isInTask);
            call.decide(Call.Ending.TIMED_OUT);
            call.cancelLosers();
        }

        @Arbiter
        public void look(LL_Result r) {
            Cancellation cancellation = attempt.cancellation();
            r.r1 = cancellation == null ? "left" : "cancelled";
            r.r2 = cancellation != null && Rig.CORE.watch.watches(cancellation) ? "watched" : "not watched";
        }
    }

    /** Who cancels looks whether the attempt has left, then adds it, and does not look again. */
    @JCStressTest
    @Outcome(
            id = "cancelled, not watched",
            expect = Expect.ACCEPTABLE,
            desc = "It was told to stop, and was taken out.")
    @Outcome(id = "left, not watched", expect = Expect.ACCEPTABLE, desc = "It left first; nobody watched it.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It has left and stays on the watch.")
    @State
    public static class Broken {

        private static final Set<Object> WATCHED = ConcurrentHashMap.newKeySet();

        private volatile boolean left;
        private String seen = "left";

        @Actor
        public void attempt() {
            left = true;
            WATCHED.remove(this);
        }

        @Actor
        public void canceller() {
            if (!left) {
                seen = "cancelled";
                WATCHED.add(this);
            }
        }

        @Arbiter
        public void look(LL_Result r) {
            r.r1 = seen;
            r.r2 = WATCHED.remove(this) ? "watched" : "not watched";
        }
    }
}
