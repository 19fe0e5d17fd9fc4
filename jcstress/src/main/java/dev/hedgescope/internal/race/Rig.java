package dev.hedgescope.internal.race;

import dev.hedgescope.Attempt;
import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.Limiter.Permit;
import java.time.Duration;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls and attempts of the real classes, run by actors: the runtime starts no threads.
 *
 * <p>All of them share one core, since a core is far too large to be made for each of some million races.
 */
final class Rig {

    static final Core CORE = new Core(
            "stress",
            new NoThreads(),
            HedgePolicy.builder().build(),
            HedgeBudget.unlimited(),
            null,
            null,
            null,
            Duration.ofDays(1));

    /** What the calling thread does instead of interrupting, if it wants to see its interrupts. */
    private static final ThreadLocal<@Nullable Consumer<Thread>> INTERRUPTER = new ThreadLocal<>();

    private Rig() {}

    /** Spins until the condition holds, for some microseconds at most: brings two actors together, and binds neither. */
    static void meet(BooleanSupplier condition) {
        for (int i = 0; i < 200 && !condition.getAsBoolean(); i++) {
            Thread.onSpinWait();
        }
    }

    /** Runs the action with the interrupts of the calling thread handed to the interrupter. */
    static void interruptingBy(Consumer<Thread> interrupter, Runnable action) {
        INTERRUPTER.set(interrupter);
        try {
            action.run();
        } finally {
            INTERRUPTER.remove();
        }
    }

    /** A call without a caller. */
    static final class OpenCall extends Call {

        OpenCall() {
            super(CORE, CORE.policy());
        }

        /** Adds an attempt that an actor has to run, once. */
        AttemptRun attempt(Attempt.Task<?, ?> task, @Nullable Permit permit) {
            AttemptRun attempt = new AttemptRun(this, attemptCount(), task, permit, null, newest());
            CORE.registry.add(attempt);
            newest(attempt);
            return attempt;
        }

        @Override
        Duration remaining() {
            return Duration.ZERO;
        }

        @Override
        Instant deadline() {
            return Instant.MAX;
        }

        @Override
        boolean isInsideHedge() {
            return false;
        }
    }

    /** A permit that says when, and how, it was settled: after the task was left, on the attempt's own thread. */
    record OnSettled(Consumer<String> then) implements Permit {

        @Override
        public void success() {
            then.accept("success");
        }

        @Override
        public void ignore() {
            then.accept("ignore");
        }

        @Override
        public void drop() {
            then.accept("drop");
        }
    }

    /** Runs hooks on the thread that asks for one, and nothing else; parks by yielding. */
    private static final class NoThreads implements HedgeRuntime {

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public Thread start(String name, Runnable body) {
            Thread me = Thread.currentThread();
            if (name.endsWith("hook")) {
                Thread.UncaughtExceptionHandler mine = me.getUncaughtExceptionHandler();
                body.run();
                me.setUncaughtExceptionHandler(mine);
            }
            return me;
        }

        @Override
        public void park(long nanos) {
            Thread.yield();
        }

        @Override
        public void unpark(Thread thread) {}

        @Override
        public void interrupt(Thread thread) {
            Consumer<Thread> interrupter = INTERRUPTER.get();
            if (interrupter == null) {
                thread.interrupt();
            } else {
                interrupter.accept(thread);
            }
        }

        @Override
        public long nextRandom() {
            return 0;
        }
    }
}
