package dev.hedgescope;

import static org.assertj.core.api.Assertions.fail;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A platform thread for tests in real time. What it throws is thrown where it is joined; waits poll, and end with the test. */
public final class Racer {

    private static final long PATIENCE_NANOS = 60_000_000_000L;

    /** What a thread does. */
    @FunctionalInterface
    public interface Body {
        void run() throws Exception;
    }

    private final Thread thread;
    private volatile @Nullable Throwable failure;

    private Racer(Body body) {
        this.thread = Thread.ofPlatform().daemon().name("racer").unstarted(() -> {
            try {
                body.run();
            } catch (Throwable t) {
                failure = t;
            }
        });
    }

    /** Starts a thread. */
    public static Racer start(Body body) {
        Racer racer = new Racer(body);
        racer.thread.start();
        return racer;
    }

    /** Starts so many threads that do the same. */
    public static Racer[] start(int threads, Body body) {
        Racer[] racers = new Racer[threads];
        for (int i = 0; i < threads; i++) {
            racers[i] = start(body);
        }
        return racers;
    }

    public static void joinAll(Racer... racers) throws InterruptedException {
        for (Racer racer : racers) {
            racer.join();
        }
    }

    /** Waits until the condition holds; fails the test if it takes a minute. */
    public static void until(BooleanSupplier condition) {
        long since = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - since > PATIENCE_NANOS) {
                fail("has not happened within a minute");
            }
            Thread.yield();
        }
    }

    /** Waits until the thread is parked. */
    public Racer untilParked() {
        until(() -> thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING
                || !thread.isAlive());
        return this;
    }

    public void interrupt() {
        thread.interrupt();
    }

    public boolean isAlive() {
        return thread.isAlive();
    }

    /** Waits for the end of the thread, and throws what it threw. */
    public void join() throws InterruptedException {
        thread.join(PATIENCE_NANOS / 1_000_000);
        if (thread.isAlive()) {
            AssertionError stuck = new AssertionError("still running after a minute");
            stuck.setStackTrace(thread.getStackTrace());
            throw stuck;
        }
        if (failure != null) {
            throw new AssertionError("a thread of the test failed", failure);
        }
    }
}
