package dev.hedgescope.internal.admission;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LI_Result;

/** Enqueue against release, and giving up against the grant, at a gate of one permit, which is held at first. */
public final class EnqueueRace {

    private EnqueueRace() {}

    @JCStressTest
    @Outcome(id = "granted, 0", expect = Expect.ACCEPTABLE, desc = "The waiter has the permit.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It still waits when the release is over, though the permit is free.")
    @State
    public static class Waiting extends StillClock {

        private final Gate gate = new Gate(1, this);
        private volatile boolean released;
        private boolean parkedInVain;

        public Waiting() {
            gate.tryAcquire();
        }

        @Actor
        public void waiter(LI_Result r) {
            try {
                r.r1 = gate.acquire(Long.MAX_VALUE) ? "granted" : "refused";
            } catch (InterruptedException e) {
                r.r1 = "still waiting";
            }
        }

        @Actor
        public void holder() {
            gate.release();
            released = true;
        }

        /** Parks until the release is over. Who parks once more would do so for ever. */
        @Override
        public void park(long nanos) {
            if (parkedInVain) {
                Thread.currentThread().interrupt();
            }
            while (!released) {
                Thread.onSpinWait();
            }
            parkedInVain = true;
        }

        @Arbiter
        public void count(LI_Result r) {
            r.r2 = gate.tryAcquire() ? 1 : 0;
        }
    }

    @JCStressTest
    @Outcome(id = "granted, 0", expect = Expect.ACCEPTABLE, desc = "The waiter has the permit.")
    @Outcome(id = "refused, 1", expect = Expect.ACCEPTABLE, desc = "It gave up; the permit is free.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "The permit is lost, or there are two.")
    @State
    public static class GivingUp extends StillClock {

        private final Gate gate = new Gate(1, this);
        private long now;

        public GivingUp() {
            gate.tryAcquire();
        }

        @Actor
        public void waiter(LI_Result r) {
            try {
                r.r1 = gate.acquire(1) ? "granted" : "refused";
            } catch (InterruptedException e) {
                r.r1 = "interrupted";
            }
        }

        @Actor
        public void holder() {
            gate.release();
        }

        /** Its time is over as soon as it has enrolled. */
        @Override
        public long nanoTime() {
            return now++;
        }

        @Override
        public void park(long nanos) {}

        @Arbiter
        public void count(LI_Result r) {
            while (gate.tryAcquire()) {
                r.r2++;
            }
        }
    }

    /** The waiter looks for a free permit, then enrols, and does not look again. */
    @JCStressTest
    @Outcome(id = "granted, 0", expect = Expect.ACCEPTABLE, desc = "The waiter has the permit.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "It still waits when the release is over, though the permit is free.")
    @State
    public static class Broken {

        private final Semaphore count = new Semaphore(0);
        private final Queue<AtomicBoolean> waiters = new ConcurrentLinkedQueue<>();
        private volatile boolean released;

        @Actor
        public void waiter(LI_Result r) {
            if (count.tryAcquire()) {
                r.r1 = "granted";
                return;
            }
            AtomicBoolean granted = new AtomicBoolean();
            waiters.add(granted);
            while (!released) {
                Thread.onSpinWait();
            }
            r.r1 = granted.get() ? "granted" : "still waiting";
        }

        @Actor
        public void holder() {
            AtomicBoolean waiter = waiters.poll();
            if (waiter == null) {
                count.release();
            } else {
                waiter.set(true);
            }
            released = true;
        }

        @Arbiter
        public void count(LI_Result r) {
            r.r2 = count.availablePermits();
        }
    }
}
