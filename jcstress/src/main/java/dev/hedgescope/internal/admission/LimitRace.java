package dev.hedgescope.internal.admission;

import dev.hedgescope.HedgeRuntime;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A limit lowered against a release and a raise: two of two permits are held at first, one in the end. */
public final class LimitRace {

    private LimitRace() {}

    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The limit is 1 and none is free.")
    @Outcome(id = "3, 2", expect = Expect.ACCEPTABLE, desc = "The limit is 3 and two are free.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "There are more or fewer permits than the limit says.")
    @State
    public static class Real {

        private final Gate gate = new Gate(2, HedgeRuntime.system());

        public Real() {
            gate.tryAcquire();
            gate.tryAcquire();
        }

        @Actor
        public void release() {
            gate.release();
            gate.limit(3);
        }

        @Actor
        public void lower() {
            gate.limit(1);
        }

        @Arbiter
        public void count(II_Result r) {
            r.r1 = gate.limit();
            while (gate.tryAcquire()) {
                r.r2++;
            }
        }
    }

    /** Reads the old limit and writes the new one in two steps. */
    @JCStressTest
    @Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The limit is 1 and none is free.")
    @Outcome(id = "3, 2", expect = Expect.ACCEPTABLE, desc = "The limit is 3 and two are free.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "There are more or fewer permits than the limit says.")
    @State
    public static class Broken {

        private final AtomicInteger free = new AtomicInteger();
        private volatile int limit = 2;

        private void limit(int next) {
            int change = next - limit;
            limit = next;
            free.addAndGet(change);
        }

        @Actor
        public void release() {
            free.incrementAndGet();
            limit(3);
        }

        @Actor
        public void lower() {
            limit(1);
        }

        @Arbiter
        public void count(II_Result r) {
            r.r1 = limit;
            r.r2 = free.get();
        }
    }
}
