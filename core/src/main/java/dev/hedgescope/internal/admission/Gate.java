package dev.hedgescope.internal.admission;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.internal.time.Nanos;
import dev.hedgescope.internal.time.Seam;
import java.io.Serial;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A count of permits, whose limit can move, and those who wait for one, first come first served.
 *
 * <p>The count is a {@link Semaphore} of which only the methods that never block are used; it goes below zero when the
 * limit is lowered under those who hold. Not its own queue: a simulation could not see who waits in it.
 *
 * <pre>
 *   waiter:  WAITING ──who hands out──► GRANTED   (the permit is the waiter's)
 *               └──────the waiter────► GONE       (it gave up, or was interrupted)
 * </pre>
 *
 * <p>A waiter enrols, <i>then</i> hands out whatever is free to the head of the queue, then parks; who releases frees,
 * <i>then</i> does the same. One of the two sees the other, so when no thread is inside, a free permit means that
 * nobody waits. Who gives up leaves by compare-and-set against the grant, and hands out again, since a grant may have
 * been on its way to it. {@code tryAcquire} may overtake.
 */
final class Gate {

    private final HedgeRuntime runtime;
    private final Count count;
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();
    private final ReentrantLock resizing = new ReentrantLock();
    private volatile int limit;

    Gate(int limit, HedgeRuntime runtime) {
        this.runtime = runtime;
        this.limit = limit;
        this.count = new Count(limit);
    }

    int limit() {
        return limit;
    }

    /** {@return how many permits are held} Exact while the limit stands still. */
    int inUse() {
        Seam.at();
        return Math.max(0, limit - count.availablePermits());
    }

    /** Moves the limit; never blocks for longer than another change of it takes. */
    void limit(int next) {
        Seam.at();
        resizing.lock();
        try {
            int change = next - limit;
            limit = next;
            if (change > 0) {
                count.release(change);
            } else if (change < 0) {
                count.reducePermits(-change);
            }
        } finally {
            resizing.unlock();
        }
        handOut();
    }

    boolean tryAcquire() {
        Seam.at();
        return count.tryAcquire();
    }

    void release() {
        Seam.at();
        count.release();
        handOut();
    }

    /**
     * Acquires a permit, waiting in turn.
     *
     * @param nanos how long at most
     * @return whether it holds one
     * @throws InterruptedException if the thread is interrupted; it then holds none
     */
    boolean acquire(long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Seam.at();
        if (waiters.isEmpty() && tryAcquire()) {
            return true;
        }
        if (nanos <= 0) {
            return false;
        }
        long start = runtime.nanoTime();
        Waiter waiter = new Waiter(Thread.currentThread());
        Seam.at();
        waiters.add(waiter);
        handOut();
        while (!waiter.isGranted()) {
            long left = nanos == Nanos.FOREVER ? nanos : nanos - (runtime.nanoTime() - start);
            if (left <= 0 || Thread.currentThread().isInterrupted()) {
                break;
            }
            runtime.park(left);
        }
        boolean granted = waiter.isGranted() || !leave(waiter);
        if (Thread.interrupted()) {
            if (granted) {
                release();
            }
            throw new InterruptedException();
        }
        return granted;
    }

    /** Gives up waiting. {@return false if a permit was granted meanwhile} */
    private boolean leave(Waiter waiter) {
        Seam.at();
        if (!waiter.compareAndSet(Waiter.WAITING, Waiter.GONE)) {
            return false;
        }
        waiters.remove(waiter);
        handOut();
        return true;
    }

    /** Gives free permits to those at the head of the queue, until either runs out. */
    private void handOut() {
        while (true) {
            Seam.at();
            if (waiters.isEmpty() || !tryAcquire()) {
                return;
            }
            Waiter waiter = grantNext();
            if (waiter == null) {
                Seam.at();
                count.release(); // nobody waited any more; look again, since somebody may have come meanwhile
            } else {
                runtime.unpark(waiter.thread);
            }
        }
    }

    private @Nullable Waiter grantNext() {
        while (true) {
            Seam.at();
            Waiter waiter = waiters.poll();
            if (waiter == null || waiter.compareAndSet(Waiter.WAITING, Waiter.GRANTED)) {
                return waiter;
            }
        }
    }

    private static final class Waiter extends AtomicInteger {

        static final int WAITING = 0;
        static final int GRANTED = 1;
        static final int GONE = 2;

        @Serial
        private static final long serialVersionUID = 1;

        private final transient Thread thread;

        Waiter(Thread thread) {
            this.thread = thread;
        }

        boolean isGranted() {
            Seam.at();
            return get() == GRANTED;
        }
    }

    /** A semaphore that can be lowered. */
    private static final class Count extends Semaphore {

        @Serial
        private static final long serialVersionUID = 1;

        Count(int permits) {
            super(permits);
        }

        @Override
        protected void reducePermits(int reduction) {
            super.reducePermits(reduction);
        }
    }
}
