package dev.hedgescope.internal.admission;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.Limiter.Permit;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** One permit settled by two verbs at once. */
public final class PermitRace {

    private PermitRace() {}

    private static boolean settles(Runnable verb) {
        try {
            verb.run();
            return true;
        } catch (IllegalStateException settledBefore) {
            return false;
        }
    }

    @JCStressTest
    @Outcome(id = "true, false, 1", expect = Expect.ACCEPTABLE, desc = "Success settled it, drop was told so.")
    @Outcome(id = "false, true, 1", expect = Expect.ACCEPTABLE, desc = "Drop settled it, success was told so.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It was given back twice, or not at all.")
    @State
    public static class Real {

        private final FixedLimiter limiter = new FixedLimiter(1, HedgeRuntime.system());
        private final Permit permit = Objects.requireNonNull(limiter.tryAcquire());

        @Actor
        public void success(ZZI_Result r) {
            r.r1 = settles(permit::success);
        }

        @Actor
        public void drop(ZZI_Result r) {
            r.r2 = settles(permit::drop);
        }

        @Arbiter
        public void count(ZZI_Result r) {
            while (limiter.tryAcquire() != null) {
                r.r3++;
            }
        }
    }

    /** Looks whether it is held, then settles, in two steps. */
    @JCStressTest
    @Outcome(id = "true, false, 1", expect = Expect.ACCEPTABLE, desc = "Success settled it, drop was told so.")
    @Outcome(id = "false, true, 1", expect = Expect.ACCEPTABLE, desc = "Drop settled it, success was told so.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It was given back twice.")
    @State
    public static class Broken {

        private final AtomicInteger free = new AtomicInteger();
        private volatile boolean held = true;

        private boolean settle() {
            if (!held) {
                return false;
            }
            held = false;
            free.incrementAndGet();
            return true;
        }

        @Actor
        public void success(ZZI_Result r) {
            r.r1 = settle();
        }

        @Actor
        public void drop(ZZI_Result r) {
            r.r2 = settle();
        }

        @Arbiter
        public void count(ZZI_Result r) {
            r.r3 = free.get();
        }
    }
}
