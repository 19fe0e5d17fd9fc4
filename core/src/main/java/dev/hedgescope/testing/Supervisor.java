package dev.hedgescope.testing;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The side of a simulation that does not take part in it: the thread that called it, which waits for its end, looks
 * whether it still moves, and clears up after a failure.
 */
final class Supervisor {

    private static final int FRAMES = 30;

    private static final Set<String> MACHINERY = Set.of(
            LockSupport.class.getName(),
            Supervisor.class.getName(),
            Scheduler.class.getName(),
            SimThread.class.getName(),
            SimulationOptions.class.getName());

    private record Reason(String what, @Nullable Throwable cause) {}

    private final Scheduler scheduler;
    private final long seed;
    private final long patience;
    private final Thread caller = Thread.currentThread();
    private final AtomicReference<@Nullable Reason> failure = new AtomicReference<>();
    private volatile boolean ended;

    Supervisor(Scheduler scheduler, long seed, long patience) {
        this.scheduler = scheduler;
        this.seed = seed;
        this.patience = patience;
    }

    long seed() {
        return seed;
    }

    boolean hasFailed() {
        return failure.get() != null;
    }

    /** Notes that the last thread has ended. */
    void end() {
        ended = true;
        LockSupport.unpark(caller);
    }

    /** Ends the simulation because of what a thread threw. */
    void fail(String what, Throwable cause) {
        failWith(new Reason(what, cause));
    }

    /** Ends the simulation, with the stacks of its threads; returns what the thread that found it has to throw. */
    Abandoned fail(String what) {
        if (!hasFailed()) {
            failWith(new Reason(what + stacks(), null));
        }
        return new Abandoned();
    }

    private void failWith(Reason reason) {
        failure.compareAndSet(null, reason);
        LockSupport.unpark(caller);
    }

    /** Waits for the end, uninterruptibly, with the flag re-asserted; throws the failure if there was one. */
    void awaitEnd() {
        boolean interrupted = false;
        long asked = System.nanoTime();
        while (!ended && !hasFailed()) {
            LockSupport.parkNanos(this, patience);
            interrupted |= Thread.interrupted();
            if (System.nanoTime() - asked >= patience && !ended && !hasFailed()) {
                asked = System.nanoTime();
                if (scheduler.isSilent()) {
                    reportSilence();
                }
            }
        }
        Reason reason = failure.get();
        if (reason != null) {
            interrupted |= bury();
        }
        if (interrupted) {
            caller.interrupt();
        }
        if (reason != null) {
            throw new SimulationFailure(seed, reason.what, scheduler.transcript(), reason.cause);
        }
    }

    private void reportSilence() {
        SimThread culprit = scheduler.running();
        if (culprit != null) {
            fail("thread '" + culprit.thread.getName() + "' has used no verb of the simulation for "
                    + patience / 1_000_000 + " ms of real time: it blocks or loops outside");
            culprit.thread.interrupt();
        }
    }

    /** Lets the threads that are left die one after the other; returns whether the caller was interrupted meanwhile. */
    private boolean bury() {
        boolean interrupted = false;
        for (SimThread each : Roster.of(scheduler)) {
            try {
                scheduler.bury(each);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        return interrupted;
    }

    private String stacks() {
        StringBuilder text = new StringBuilder();
        for (SimThread each : Roster.of(scheduler)) {
            text.append("\n  '").append(each.thread.getName()).append("' ").append(each.state);
            framesOfInterest(each.thread.getStackTrace())
                    .limit(FRAMES)
                    .forEach(frame -> text.append("\n      at ").append(frame));
        }
        return text.toString();
    }

    /** {@return the frames above those of waiting for the baton and below those of starting the thread} */
    private static Stream<StackTraceElement> framesOfInterest(StackTraceElement[] frames) {
        return Arrays.stream(frames)
                .dropWhile(frame -> MACHINERY.contains(frame.getClassName())
                        || frame.getClassName().startsWith("java.lang.")
                        || frame.getClassName().startsWith("jdk.internal."))
                .takeWhile(frame -> !MACHINERY.contains(frame.getClassName()));
    }
}
