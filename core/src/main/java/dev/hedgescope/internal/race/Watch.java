package dev.hedgescope.internal.race;

import dev.hedgescope.Straggler;
import dev.hedgescope.internal.time.Nanos;
import dev.hedgescope.internal.time.Seam;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The attempts that were told to stop and have not left, and the one thread of a hedger that waits for time on their
 * behalf: it interrupts those whose grace is over, and reports those that have become stragglers. The thread is alive
 * only while there is somebody to watch.
 *
 * <p>Who cancels adds the attempt, <i>then</i> looks whether it has left meanwhile, and then removes it; an attempt
 * first says that it has left, <i>then</i> removes itself. The last one to go wakes the thread, which decides under the
 * lock that it ends. The thread is in the registry before that look, so who sees the attempt gone and then looks at the
 * house sees it.
 *
 * <p>All fields are guarded by the lock. No verb of the runtime runs while it is held.
 */
final class Watch {

    /**
     * Due times closer together than this are served in one go, so that ten thousand losers do not mean ten thousand
     * walks.
     */
    private static final long GRAIN = TimeUnit.MILLISECONDS.toNanos(1);

    private final Core core;
    private final long stragglerAfter;
    private final House house;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Cancellation, Entry> watched = new LinkedHashMap<>();
    private @Nullable WatchRun run;
    private long wakeAt;
    private boolean sleeps;

    Watch(Core core, long stragglerAfter) {
        this.core = core;
        this.stragglerAfter = stragglerAfter;
        this.house = new House(core.registry.house());
    }

    /**
     * When to do what for one attempt; times are counted from its cancellation, {@link Nanos#FOREVER} is done or never.
     */
    private static final class Entry {
        private final long since;
        private long interruptAfter;
        private long reportAfter;

        Entry(long since, long interruptAfter, long reportAfter) {
            this.since = since;
            this.interruptAfter = interruptAfter;
            this.reportAfter = reportAfter;
        }

        /** {@return the time from now to the next thing to do, zero or less if it is due} */
        long next(long now) {
            long after = Math.min(interruptAfter, reportAfter);
            return after == Nanos.FOREVER ? Nanos.FOREVER : after - (now - since);
        }
    }

    /** Adds an attempt that was told to stop. */
    void add(Cancellation cancellation, long now, long interruptAfter) {
        Entry entry = new Entry(now, interruptAfter, stragglerAfter);
        WatchRun starting = null;
        Thread wake = null;
        Seam.at();
        lock.lock();
        try {
            watched.put(cancellation, entry);
            if (run == null) {
                run = starting = new WatchRun();
            } else if (entry.next(now) != Nanos.FOREVER && (!sleeps || entry.next(now) < wakeAt - now)) {
                wake = run.thread();
            }
        } finally {
            lock.unlock();
        }
        if (starting != null) {
            core.registry.add(starting);
            start(starting);
        }
        if (cancellation.hasLeft()) {
            remove(cancellation);
        } else if (wake != null) {
            core.runtime.unpark(wake);
        }
    }

    private void start(WatchRun starting) {
        boolean needed = isNeeded();
        if (needed && core.start(starting, core.name + " watch")) {
            return;
        }
        core.registry.leave(starting);
        if (needed) {
            interruptAtOnce();
        }
    }

    /**
     * {@return whether an attempt that is watched has not left} It was seen after the watch's thread was registered, so
     * who waits for that attempt and then for the house waits for the thread, too. One that has left does not count,
     * whoever added it: the hedger may be closed by now. If there is none the next to be added starts a thread.
     */
    private boolean isNeeded() {
        while (true) {
            List<Cancellation> all;
            Seam.at();
            lock.lock();
            try {
                if (watched.isEmpty()) {
                    run = null;
                    return false;
                }
                all = List.copyOf(watched.keySet());
            } finally {
                lock.unlock();
            }
            if (!all.stream().allMatch(Cancellation::hasLeft)) {
                return true;
            }
            Seam.at();
            lock.lock();
            try {
                all.forEach(watched::remove);
            } finally {
                lock.unlock();
            }
        }
    }

    /** The thread could not be started: nobody will interrupt after the grace, so it is done now. */
    private void interruptAtOnce() {
        List<Cancellation> all = new ArrayList<>();
        Seam.at();
        lock.lock();
        try {
            run = null;
            watched.forEach((cancellation, entry) -> {
                if (entry.interruptAfter != Nanos.FOREVER) {
                    entry.interruptAfter = Nanos.FOREVER;
                    all.add(cancellation);
                }
            });
        } finally {
            lock.unlock();
        }
        all.forEach(cancellation -> cancellation.attempt().interrupt());
    }

    /** Takes out an attempt that has left its task. */
    void remove(Cancellation cancellation) {
        Thread wake = null;
        Seam.at();
        lock.lock();
        try {
            if (watched.remove(cancellation) != null && watched.isEmpty() && run != null) {
                wake = run.thread();
            }
        } finally {
            lock.unlock();
        }
        if (wake != null) {
            core.runtime.unpark(wake);
        }
    }

    /** {@return whether it is on the list, be it a straggler or just about to leave} */
    boolean watches(Cancellation cancellation) {
        Seam.at();
        lock.lock();
        try {
            return watched.containsKey(cancellation);
        } finally {
            lock.unlock();
        }
    }

    List<Straggler> stragglers() {
        List<Cancellation> all;
        Seam.at();
        lock.lock();
        try {
            all = List.copyOf(watched.keySet());
        } finally {
            lock.unlock();
        }
        long now = core.runtime.nanoTime();
        return all.stream()
                .filter(cancellation -> !cancellation.hasLeft())
                .map(cancellation -> describe(cancellation.attempt(), now))
                .toList();
    }

    /** {@return what is known of a thread of this hedger} */
    Straggler describe(Registry.Member member, long now) {
        Thread thread = member.thread();
        List<StackTraceElement> stack = thread == null ? List.of() : List.of(thread.getStackTrace());
        if (!(member instanceof AttemptRun attempt)) {
            return new Straggler(core.name, member.group().id(), -1, null, Duration.ZERO, stack);
        }
        Cancellation cancellation = attempt.cancellation();
        long since = cancellation == null ? 0 : cancellation.age(now);
        return new Straggler(
                core.name, attempt.callId(), attempt.number(), attempt.replicaName(), Duration.ofNanos(since), stack);
    }

    /** The hedger's own threads: they belong to no call. */
    private static final class House extends Registry.Group {

        House(Registry.Stripe stripe) {
            super(stripe);
        }

        @Override
        boolean isHouse() {
            return true;
        }
    }

    private final class WatchRun extends Registry.Member {

        WatchRun() {
            super(house);
        }

        @Override
        Core core() {
            return core;
        }

        @Override
        public void run() {
            begin();
            List<Cancellation> interrupts = new ArrayList<>();
            List<Cancellation> reports = new ArrayList<>();
            while (true) {
                long wait = collect(core.runtime.nanoTime(), interrupts, reports);
                if (wait < 0) {
                    break;
                }
                if (interrupts.isEmpty() && reports.isEmpty()) {
                    core.runtime.park(wait);
                    continue;
                }
                interrupts.forEach(cancellation -> cancellation.attempt().interrupt());
                reports.forEach(Watch.this::report);
                interrupts.clear();
                reports.clear(); // and look again: starting a thread may have used up an unpark
            }
            core.registry.leave(this);
        }

        @Override
        public void uncaughtException(Thread thread, Throwable thrown) {
            core.collaborators.failed(Collaborators.Kind.THREAD, thrown);
        }
    }

    /**
     * Collects what is due. {@return how long to sleep, negative if nobody is watched any more: then the thread has to
     * end}
     */
    private long collect(long now, List<Cancellation> interrupts, List<Cancellation> reports) {
        Seam.at();
        lock.lock();
        try {
            if (watched.isEmpty()) {
                run = null;
                return -1;
            }
            long wait = Nanos.FOREVER;
            for (Map.Entry<Cancellation, Entry> each : watched.entrySet()) {
                Entry entry = each.getValue();
                long age = now - entry.since;
                if (age >= entry.interruptAfter) {
                    entry.interruptAfter = Nanos.FOREVER;
                    interrupts.add(each.getKey());
                }
                if (age >= entry.reportAfter) {
                    entry.reportAfter = Nanos.FOREVER;
                    reports.add(each.getKey());
                }
                wait = Math.min(wait, entry.next(now));
            }
            sleeps = wait != Nanos.FOREVER;
            wait = Math.max(wait, GRAIN);
            wakeAt = now + wait;
            return wait;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reports a straggler on a thread of its own: a listener that blocks must not keep others from being interrupted.
     */
    private void report(Cancellation cancellation) {
        if (!cancellation.markReported()) {
            return;
        }
        ReportRun report = new ReportRun(cancellation.attempt());
        core.registry.add(report);
        if (!core.start(report, core.name + " report")) {
            core.registry.leave(report);
        }
    }

    private final class ReportRun extends Registry.Member {

        private final AttemptRun attempt;

        ReportRun(AttemptRun attempt) {
            super(house);
            this.attempt = attempt;
        }

        @Override
        Core core() {
            return core;
        }

        @Override
        public void run() {
            begin();
            core.collaborators.straggler(describe(attempt, core.runtime.nanoTime()), false);
            core.registry.leave(this);
        }

        @Override
        public void uncaughtException(Thread thread, Throwable thrown) {
            core.collaborators.failed(Collaborators.Kind.THREAD, thrown);
        }
    }
}
