package dev.hedgescope.internal.admission;

import dev.hedgescope.HedgeRuntime;

/** A runtime for one waiter: no threads, and what parking and time mean is up to the race. */
abstract class StillClock implements HedgeRuntime {

    @Override
    public long nanoTime() {
        return 0;
    }

    @Override
    public Thread start(String name, Runnable body) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void unpark(Thread thread) {}

    @Override
    public void interrupt(Thread thread) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long nextRandom() {
        return 0;
    }
}
