package dev.hedgescope.internal.admission;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.internal.time.Nanos;
import dev.hedgescope.internal.time.Seam;
import java.io.Serial;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A count of permits, whose limit can move, and those who wait for one, first come first served.
 *
 * <p>The count is a {@link Semaphore} of which only the methods that never block are used. Not its own queue: a
 * simulation could not see who waits in it, and whoever asks for much at the head of a fair one keeps everybody else
 * out.
 *
 * <pre>
 *               who hands out a permit
 *   WAITING ─────────────────────────────► GRANTED   the permit is the waiter's, to keep or to give back
 *      │        the waiter itself
 *      └─────────────────────────────────► GONE      time over, interrupted, or thrown out of its wait
 * </pre>
 *
 * <p>A waiter enrols, <i>then</i> hands out whatever is free to the head of the queue, then parks; who frees a permit
 * frees it, <i>then</i> does the same. One of the two sees the other, so when no thread is inside, a free permit means
 * that nobody waits. Both ends of a wait are one compare-and-set on the waiter: a permit is granted to somebody who will
 * take it, or to the next. {@link #tryAcquire} may overtake, and may be refused for the sake of a permit that is just
 * on its way to a waiter, or back from one that has gone.
 *
 * <p>Always free + held = limit, and neither held nor the limit is negative. So the count never passes the limit, and a
 * release cannot raise the error with which a semaphore meets more than {@link Integer#MAX_VALUE} permits; free is below
 * zero after the limit was lowered under those who hold.
 *
 * <pre>
 *   field     written by                        guard
 *   count     whoever takes or gives back       atomic
 *   limit     whoever resizes                   the lock, together with the count's share of the change; read freely
 *   waiters   the waiter, who hands out         lock-free queue
 *   standing  the waiter, who hands out         compare-and-set from WAITING, once
 * </pre>
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
        Seam.at();
        return limit;
    }

    /** {@return how many permits are held, or on their way to or from a waiter} */
    int inUse() {
        Seam.at();
        resizing.lock(); // else the limit of one moment would meet the count of another
        try {
            return limit - count.availablePermits();
        } finally {
            resizing.unlock();
        }
    }

    /** {@return how many wait} Walks the queue. */
    int waiting() {
        Seam.at();
        return waiters.size();
    }

    /**
     * Moves the limit; waits for nothing but another change of it.
     *
     * <p>Not an exchange of the limit and then its difference to the count, without a lock: of two changes the later
     * could reach the count first, and lift it over the maximum.
     */
    void limit(int next) {
        Seam.at();
        resizing.lock();
        try {
            int change = next - limit;
            limit = next;
            if (change > 0) {
                count.release(change);
            } else {
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
     * @param nanos how long at most; 0 or less is {@link #tryAcquire}
     * @return whether it holds one
     * @throws InterruptedException if the thread is interrupted; it then holds none
     */
    boolean acquire(long nanos) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (nanos <= 0) {
            return tryAcquire();
        }
        Seam.at();
        return (waiters.isEmpty() && tryAcquire()) || await(nanos);
    }

    private boolean await(long nanos) throws InterruptedException {
        Waiter waiter = new Waiter(Thread.currentThread());
        try {
            Seam.at();
            waiters.add(waiter);
            handOut();
            park(waiter, nanos);
        } catch (Throwable t) {
            // a stack overflow, a runtime that throws: a waiter left behind would swallow a permit for good
            renounce(waiter);
            throw t;
        }
        if (Thread.interrupted()) {
            renounce(waiter);
            throw new InterruptedException();
        }
        return !leave(waiter);
    }

    /** Counts the time down between wake-ups, not from the start: a clock that goes back then costs one of them. */
    private void park(Waiter waiter, long nanos) {
        long left = nanos;
        long before = runtime.nanoTime();
        while (waiter.isWaiting() && left > 0 && !Thread.currentThread().isInterrupted()) {
            runtime.park(left);
            if (left != Nanos.FOREVER) {
                long now = runtime.nanoTime();
                left -= Math.max(0, now - before);
                before = now;
            }
        }
    }

    /** Wants the permit no longer, granted or not. */
    private void renounce(Waiter waiter) {
        if (!leave(waiter)) {
            release();
        }
    }

    /**
     * Gives up waiting. Walks the queue, but whose time is over mostly stands near its head.
     *
     * @return false if a permit was granted before
     */
    private boolean leave(Waiter waiter) {
        if (!waiter.become(Standing.GONE)) {
            return false;
        }
        Seam.at();
        waiters.remove(waiter);
        handOut();
        return true;
    }

    /**
     * Gives free permits to those at the head of the queue, until either runs out.
     *
     * <p>The permit is taken first, and given back when nobody is left to have it. The other way round, a waiter taken
     * from the queue for whom there is no permit after all could not be put back into its place.
     */
    private void handOut() {
        while (true) {
            Seam.at();
            if (waiters.isEmpty() || !tryAcquire()) {
                return;
            }
            Waiter waiter = grantNext();
            if (waiter == null) {
                Seam.at();
                count.release(); // and look again: somebody may have enrolled, and found nothing, meanwhile
            } else {
                runtime.unpark(waiter.thread);
            }
        }
    }

    private @Nullable Waiter grantNext() {
        while (true) {
            Seam.at();
            Waiter waiter = waiters.poll();
            if (waiter == null || waiter.become(Standing.GRANTED)) {
                return waiter;
            }
        }
    }

    private enum Standing {
        WAITING,
        GRANTED,
        GONE
    }

    private static final class Waiter {

        private final Thread thread;
        private final AtomicReference<Standing> standing = new AtomicReference<>(Standing.WAITING);

        Waiter(Thread thread) {
            this.thread = thread;
        }

        boolean isWaiting() {
            Seam.at();
            return standing.get() == Standing.WAITING;
        }

        /** {@return whether the wait ended thus, and not otherwise before} */
        boolean become(Standing end) {
            Seam.at();
            return standing.compareAndSet(Standing.WAITING, end);
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
