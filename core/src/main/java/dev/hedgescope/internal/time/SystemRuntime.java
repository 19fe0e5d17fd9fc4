package dev.hedgescope.internal.time;

import dev.hedgescope.HedgeRuntime;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;

/** The runtime of production: the JDK's clock, virtual threads, parking and random numbers, and nothing in between. */
public final class SystemRuntime implements HedgeRuntime {

    public static final SystemRuntime INSTANCE = new SystemRuntime();

    private SystemRuntime() {}

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public Thread start(String name, Runnable body) {
        return Thread.ofVirtual().name(name).start(body);
    }

    @Override
    public void park(long nanos) {
        if (nanos == Long.MAX_VALUE) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, nanos);
        }
    }

    @Override
    public void unpark(Thread thread) {
        LockSupport.unpark(thread);
    }

    @Override
    public void interrupt(Thread thread) {
        thread.interrupt();
    }

    @Override
    public long nextRandom() {
        return ThreadLocalRandom.current().nextLong();
    }
}
