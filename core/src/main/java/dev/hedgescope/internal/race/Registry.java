package dev.hedgescope.internal.race;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.internal.time.Nanos;
import dev.hedgescope.internal.time.Seam;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Every thread that a hedger ever started and that has not left yet.
 *
 * <p>A member is added before its thread is started and leaves as the last act of its thread. Two orders make closing
 * exact: adding links the member, <i>then</i> looks at {@code closed}, while closing sets {@code closed}, <i>then</i>
 * walks, so that one of the two sees the other; and a leaving member unlinks itself, <i>then</i> looks whether anybody
 * waits, while who waits enrols, <i>then</i> walks.
 *
 * <p>Members lie in doubly linked lists, one for each stripe, through fields of their own: neither adding nor leaving
 * allocates. All members of a group share its stripe. No verb of the runtime is called while a stripe is locked, so
 * that a simulation never meets a lock that is held.
 *
 * <table>
 * <caption>Fields with more than one writer</caption>
 * <tr><th>field</th><th>guard</th></tr>
 * <tr><td>links, {@code Group.id}, {@code Group.alive}, {@code Stripe.groups}</td><td>the stripe's lock</td></tr>
 * <tr><td>{@code closed}</td><td>volatile, only ever set</td></tr>
 * <tr><td>{@code waiting}</td><td>a concurrent queue</td></tr>
 * </table>
 */
final class Registry {

    private static final int STRIPES = 16;

    private final HedgeRuntime runtime;
    private final Stripe[] stripes = new Stripe[STRIPES];
    private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
    private final boolean striped;
    private volatile boolean closed;

    Registry(HedgeRuntime runtime) {
        this.runtime = runtime;
        this.striped = runtime == HedgeRuntime.system();
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe(i);
        }
    }

    /**
     * {@return the stripe of the hedger's own group} It is the last to be looked at: a watch is added while the attempt
     * it is for is still in, so who has seen every other stripe empty sees the watch here.
     */
    Stripe house() {
        return stripes[STRIPES - 1];
    }

    /**
     * {@return the stripe for groups made by the calling thread} By its number, which is not the same in two runs; so with
     * any runtime but the system's there is one stripe for all, and a simulation can be replayed.
     */
    Stripe stripe() {
        if (!striped) {
            return stripes[0];
        }
        int hash = (int) Thread.currentThread().threadId() * 0x9E3779B9;
        return stripes[hash >>> 28];
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        Seam.at();
        closed = true;
    }

    /**
     * Adds a member whose thread is to be started. {@return false if the registry is closed; the member is in all the
     * same, and has to leave}
     */
    boolean add(Member member) {
        Seam.at();
        member.group.stripe.link(member);
        Seam.at();
        return !closed;
    }

    /** Takes a member out: the last act of its thread, but for waking those who wait for it. */
    void leave(Member member) {
        Group group = member.group;
        Seam.at();
        if (group.stripe.unlink(member)) {
            group.onQuiet();
        }
        Seam.at();
        if (!waiting.isEmpty()) { // spares the iterator
            waiting.forEach(runtime::unpark);
        }
    }

    /** {@return the members that are in at the moment} */
    List<Member> members() {
        List<Member> all = new ArrayList<>();
        for (Stripe stripe : stripes) {
            Seam.at();
            stripe.copyTo(all);
        }
        return all;
    }

    /**
     * Waits until no member is in, uninterruptibly.
     *
     * @param nanos how long at most
     * @return whether none is in
     */
    boolean awaitEmpty(long nanos) {
        return await(nanos, new long[] {Long.MAX_VALUE}, true);
    }

    /**
     * Waits until no member of a group that exists now is in, uninterruptibly. Groups that come later do not prolong
     * it.
     *
     * @param nanos how long at most
     * @return whether none of them is in
     */
    boolean awaitPresent(long nanos) {
        long[] marks = new long[STRIPES];
        for (int i = 0; i < STRIPES; i++) {
            Seam.at();
            marks[i] = stripes[i].groups();
        }
        return await(nanos, marks, false);
    }

    private boolean await(long nanos, long[] marks, boolean wholeHouse) {
        Thread me = Thread.currentThread();
        boolean interrupted = false;
        long start = runtime.nanoTime();
        Seam.at();
        waiting.add(me);
        try {
            for (int i = 0; i < STRIPES; ) {
                Seam.at();
                if (!stripes[i].hasMember(marks[i % marks.length], wholeHouse)) {
                    i++;
                    continue;
                }
                long left = nanos == Nanos.FOREVER ? nanos : nanos - (runtime.nanoTime() - start);
                if (left <= 0) {
                    return false;
                }
                interrupted |= Thread.interrupted();
                runtime.park(left);
            }
            return true;
        } finally {
            waiting.remove(me);
            if (interrupted) {
                me.interrupt();
            }
        }
    }

    /** One of the lists. */
    static final class Stripe {

        private final int number;
        private final ReentrantLock lock = new ReentrantLock();
        private @Nullable Member first;
        private long groups;

        private Stripe(int number) {
            this.number = number;
        }

        private void link(Member member) {
            lock.lock();
            try {
                Group group = member.group;
                if (group.id == 0) {
                    group.id = ++groups * STRIPES + number;
                }
                group.alive++;
                Member next = first;
                member.next = next;
                if (next != null) {
                    next.previous = member;
                }
                first = member;
            } finally {
                lock.unlock();
            }
        }

        private boolean unlink(Member member) {
            lock.lock();
            try {
                Member next = member.next;
                Member previous = member.previous;
                if (next != null) {
                    next.previous = previous;
                }
                if (previous != null) {
                    previous.next = next;
                } else {
                    first = next;
                }
                return --member.group.alive == 0;
            } finally {
                lock.unlock();
            }
        }

        private void copyTo(List<Member> all) {
            lock.lock();
            try {
                for (Member member = first; member != null; member = member.next) {
                    all.add(member);
                }
            } finally {
                lock.unlock();
            }
        }

        private long groups() {
            lock.lock();
            try {
                return groups;
            } finally {
                lock.unlock();
            }
        }

        private boolean hasMember(long mark, boolean wholeHouse) {
            lock.lock();
            try {
                for (Member member = first; member != null; member = member.next) {
                    if (member.group.id / STRIPES <= mark && (wholeHouse || !member.group.isHouse())) {
                        return true;
                    }
                }
                return false;
            } finally {
                lock.unlock();
            }
        }

        private boolean isQuiet(Group group) {
            lock.lock();
            try {
                return group.alive == 0;
            } finally {
                lock.unlock();
            }
        }
    }

    /** Threads that are waited for together: those of one call, or those of the hedger itself. */
    abstract static class Group {

        private final Stripe stripe;
        private long id;
        private int alive;

        Group(Stripe stripe) {
            this.stripe = stripe;
        }

        /**
         * {@return the group's number, unique in its registry; 0 before its first member was added} Read it on a thread
         * that is ordered after that.
         */
        final long id() {
            return id;
        }

        final boolean isQuiet() {
            Seam.at();
            return stripe.isQuiet(this);
        }

        /** Called by the last member, after it has left. */
        void onQuiet() {}

        /** {@return whether this is the hedger's own group, not a call's} */
        boolean isHouse() {
            return false;
        }

        /** {@return the member on whose thread this group was made, or null} */
        @Nullable
        Member parent() {
            return null;
        }
    }

    /**
     * One thread of a hedger. It is its own thread's uncaught-exception handler: that is how code on this thread finds
     * it, at no cost of a thread-local.
     */
    abstract static class Member implements Runnable, Thread.UncaughtExceptionHandler {

        private static final VarHandle THREAD;

        static {
            try {
                THREAD = MethodHandles.lookup().findVarHandle(Member.class, "thread", Thread.class);
            } catch (ReflectiveOperationException impossible) {
                throw new ExceptionInInitializerError(impossible);
            }
        }

        private final Group group;
        private @Nullable Member previous;
        private @Nullable Member next;
        private volatile @Nullable Thread thread;

        Member(Group group) {
            this.group = group;
        }

        final Group group() {
            return group;
        }

        abstract Core core();

        /** {@return the member on whose thread this member's call was made, or null} */
        final @Nullable Member outer() {
            return group.parent();
        }

        /** {@return the thread, once it has begun} */
        final @Nullable Thread thread() {
            return thread;
        }

        /** Makes the calling thread this member's. */
        final void begin() {
            Thread me = Thread.currentThread();
            Seam.at();
            THREAD.setRelease(this, me);
            me.setUncaughtExceptionHandler(this);
        }

        /** {@return the member whose thread this is, or null} */
        static @Nullable Member current() {
            return Thread.currentThread().getUncaughtExceptionHandler() instanceof Member member ? member : null;
        }
    }
}
