package dev.hedgescope.testing;

import dev.hedgescope.internal.time.Nanos;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * Virtual time since the start, and what is due later. It counts from zero and does not jump or wrap, whatever the
 * clock that the code under test sees does.
 */
final class Timers {

    /** For {@link Timer#wakeUp()}: the timer is not the end of a wait, but an unpark that comes late. */
    static final long UNPARK = -1;

    /**
     * Something due.
     *
     * @param at virtual nanoseconds since the start
     * @param order breaks ties: first set, first due
     * @param thread whom it concerns
     * @param wakeUp which of the thread's waits it ends, or {@link #UNPARK}
     */
    record Timer(long at, long order, SimThread thread, long wakeUp) implements Comparable<Timer> {

        /** {@return whether it no longer matters, since that wait has ended otherwise} */
        boolean isVoid() {
            return wakeUp == UNPARK ? thread.state == SimThread.State.ENDED : thread.wakeUps != wakeUp;
        }

        @Override
        public int compareTo(Timer other) {
            int byTime = Long.compare(at, other.at);
            return byTime != 0 ? byTime : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Timer> queue = new PriorityQueue<>();
    private long elapsed;
    private long set;

    /** {@return virtual nanoseconds since the start} */
    long elapsed() {
        return elapsed;
    }

    /** Sets a timer; none if it is for a time that never comes. */
    void set(SimThread thread, long nanos, long wakeUp) {
        if (nanos < Nanos.FOREVER - elapsed) {
            queue.add(new Timer(elapsed + nanos, set++, thread, wakeUp));
        }
    }

    /** Moves time to the earliest timer; returns false if there is none. */
    boolean advance() {
        while (!queue.isEmpty() && queue.element().isVoid()) {
            queue.remove();
        }
        if (queue.isEmpty()) {
            return false;
        }
        elapsed = queue.element().at();
        return true;
    }

    /** {@return the next timer that is due by now, removed, or null} */
    @Nullable
    Timer pollDue() {
        Timer first = queue.peek();
        while (first != null && first.isVoid()) {
            queue.remove();
            first = queue.peek();
        }
        return first != null && first.at() <= elapsed ? queue.remove() : null;
    }
}
