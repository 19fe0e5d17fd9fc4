package dev.hedgescope.laws;

import dev.hedgescope.HedgeRuntime;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A runtime that notes which threads it started, and whom it interrupted (L7: its own threads, once each). */
final class CheckedRuntime implements HedgeRuntime {

    private static final int LONGEST_MILLIS = 60_000;

    private final HedgeRuntime base;
    private final Ledger ledger;
    private final Map<Thread, Boolean> interruptedByStarted = new ConcurrentHashMap<>();

    CheckedRuntime(HedgeRuntime base, Ledger ledger) {
        this.base = base;
        this.ledger = ledger;
    }

    /** {@return whether the thread is one of ours} It enters itself, since it may run before {@link #start} returns. */
    boolean started(Thread thread) {
        return interruptedByStarted.containsKey(thread);
    }

    @Override
    public long nanoTime() {
        return base.nanoTime();
    }

    @Override
    public Thread start(String name, Runnable body) {
        Thread thread = base.start(name, () -> {
            interruptedByStarted.putIfAbsent(Thread.currentThread(), false);
            body.run();
        });
        if (thread != null) {
            interruptedByStarted.putIfAbsent(thread, false);
        }
        return thread;
    }

    @Override
    public void park(long nanos) {
        base.park(nanos);
    }

    @Override
    public void unpark(Thread thread) {
        base.unpark(thread);
    }

    @Override
    public void interrupt(Thread thread) {
        Boolean before = interruptedByStarted.replace(thread, true);
        if (before == null) {
            ledger.violation("L7: " + thread.getName() + " was interrupted, which is no thread of ours");
        } else if (before) {
            ledger.violation("L7: " + thread.getName() + " was interrupted twice");
        }
        base.interrupt(thread);
    }

    @Override
    public long nextRandom() {
        return base.nextRandom();
    }

    /** Waits, in real time, until every thread has ended: {@code close} only promises that none does anything more. */
    void awaitThreads() {
        for (Thread thread : interruptedByStarted.keySet()) {
            try {
                thread.join(LONGEST_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (thread.isAlive()) {
                ledger.violation("L4: thread " + thread.getName() + " is still alive");
            }
        }
    }
}
