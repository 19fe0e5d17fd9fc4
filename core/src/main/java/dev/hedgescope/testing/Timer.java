package dev.hedgescope.testing;

/**
 * Something due at a virtual time: the end of a thread's wait, or an unpark that comes late.
 *
 * @param at virtual nanoseconds since the start
 * @param order breaks ties: first set, first due
 * @param thread whom it concerns
 * @param wakeUp which of the thread's waits it ends, {@link #UNPARK} for a late unpark
 */
record Timer(long at, long order, SimThread thread, long wakeUp) implements Comparable<Timer> {

    static final long UNPARK = -1;

    boolean isUnpark() {
        return wakeUp == UNPARK;
    }

    /** {@return whether it no longer matters: that wait has ended otherwise} */
    boolean isVoid() {
        return thread.state == SimThread.State.ENDED || !isUnpark() && thread.wakeUps != wakeUp;
    }

    @Override
    public int compareTo(Timer other) {
        int byTime = Long.compare(at, other.at);
        return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
}
