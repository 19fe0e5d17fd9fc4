package dev.hedgescope.testing;

import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which threads belong to a simulation that is under way. A map and not a {@code ThreadLocal}: threads are looked up
 * from other threads too.
 */
final class Roster {

    private static final ConcurrentHashMap<Thread, SimThread> THREADS = new ConcurrentHashMap<>();

    private Roster() {}

    static void add(SimThread thread) {
        THREADS.put(thread.thread, thread);
    }

    static void remove(SimThread thread) {
        THREADS.remove(thread.thread);
    }

    /** {@return what stands for the thread, or null if it has ended or never was in a simulation} */
    static @Nullable SimThread find(Thread thread) {
        return THREADS.get(thread);
    }

    /**
     * {@return what stands for the thread, or null if it has ended or never was in a simulation}
     *
     * @throws IllegalStateException if it belongs to another scheduler
     */
    static @Nullable SimThread find(Thread thread, Scheduler scheduler) {
        SimThread found = THREADS.get(thread);
        if (found != null && found.scheduler != scheduler) {
            throw new IllegalStateException("'" + thread.getName() + "' belongs to another simulation");
        }
        return found;
    }

    /** {@return the threads of the scheduler that have not ended, oldest first} */
    static List<SimThread> of(Scheduler scheduler) {
        return THREADS.values().stream()
                .filter(each -> each.scheduler == scheduler)
                .sorted(Comparator.comparingInt(each -> each.number))
                .toList();
    }
}
