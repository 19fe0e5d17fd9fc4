package dev.hedgescope.testing;

import dev.hedgescope.HedgeRuntime;
import java.util.SplittableRandom;

/** The six verbs in virtual time, with a point before and after the effect of each. */
final class SimulatedRuntime implements HedgeRuntime {

    private final Scheduler scheduler;
    private final Faults faults;
    private final SimulationOptions options;
    private final SplittableRandom random;

    SimulatedRuntime(Scheduler scheduler, Faults faults, SimulationOptions options, SplittableRandom random) {
        this.scheduler = scheduler;
        this.faults = faults;
        this.options = options;
        this.random = random;
    }

    @Override
    public long nanoTime() {
        scheduler.point();
        long now = scheduler.nanoTime();
        scheduler.point();
        return now;
    }

    @Override
    @SuppressWarnings("NullAway") // a runtime that returns null is the fault to inject
    public Thread start(String name, Runnable body) {
        scheduler.point();
        if (!faults.starts(name)) {
            if (options.startFailure == SimulationOptions.StartFailure.RETURN_NULL) {
                return null;
            }
            throw new OutOfMemoryError("cannot create thread " + name);
        }
        Thread thread = scheduler.start(name, body::run);
        scheduler.point();
        return thread;
    }

    @Override
    public void park(long nanos) {
        scheduler.point();
        scheduler.park(nanos);
        scheduler.point();
    }

    @Override
    public void unpark(Thread thread) {
        scheduler.point();
        scheduler.unpark(thread, faults.lateness());
        scheduler.point();
    }

    @Override
    public void interrupt(Thread thread) {
        scheduler.point();
        scheduler.interrupt(thread);
        scheduler.point();
    }

    @Override
    public long nextRandom() {
        scheduler.point();
        long next = random.nextLong();
        scheduler.point();
        return next;
    }
}
