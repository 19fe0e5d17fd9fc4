package dev.hedgescope.testing;

import java.util.ArrayList;
import java.util.List;

/**
 * A thread as the scheduler sees it. Every field but {@link #turn} belongs to whoever holds the baton; {@code turn} is
 * the baton itself.
 */
final class SimThread {

    /** The diagram is in {@link Scheduler}. */
    enum State {
        RUNNABLE,
        RUNNING,
        /** In {@code park}: ended by unpark, interrupt, or its timer. */
        PARKED,
        /** In {@code sleep}: ended by interrupt or its timer. */
        SLEEPING,
        /** In {@code join}: ended by interrupt or the end of the other thread. */
        JOINING,
        /** Asleep uninterruptibly, or held up by an injected fault: ended by its timer alone. */
        STALLED,
        ENDED;

        boolean isInterruptible() {
            return this == PARKED || this == SLEEPING || this == JOINING;
        }
    }

    final Scheduler scheduler;
    final int number;
    final Thread thread;

    State state = State.RUNNABLE;

    /** Whether it was unparked since its last park. */
    boolean permit;

    /** Its interrupt flag while it does not run; while it runs, the flag is that of the real thread. */
    boolean interrupted;

    /** How often it has blocked and been woken; a timer set for an earlier time is void. */
    long wakeUps;

    /** Who waits for its end. */
    final List<SimThread> joiners = new ArrayList<>(0);

    /** How often it was told to die, by itself. */
    int deaths;

    /** Set by the thread that hands over the baton, cleared by this one, which waits for it. */
    volatile boolean turn;

    SimThread(Scheduler scheduler, int number, String name, Simulation.Action body) {
        this.scheduler = scheduler;
        this.number = number;
        this.thread = Thread.ofVirtual().name(name).unstarted(() -> scheduler.runBody(this, body));
    }
}
