package dev.hedgescope.benchmarks;

import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.Hedger;
import dev.hedgescope.Limiter;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A task that returns at once, run in a virtual thread of its own while the caller waits for 100 ms at most, in several
 * ways.
 */
interface Operation {

    Duration PATIENCE = Duration.ofMillis(100);

    Object run() throws Exception;

    /** A bare thread that leaves its result in a field: nothing that starts a thread and waits for a time can cost less. */
    static Operation floor() {
        return () -> new Handoff().call();
    }

    /** A hedged call that needs no hedge. */
    static Operation hedged(Hedger hedger) {
        return () -> hedger.call(attempt -> "value");
    }

    /** The JDK's structured scope; runs on JDK 25 with previews enabled, and fails elsewhere. */
    static Operation structured() {
        return new StructuredScope();
    }

    /** A task of an executor that starts a virtual thread for each. */
    static Operation submitted(ExecutorService executor) {
        return () -> executor.submit(() -> "value").get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** {@return a hedger with everything a call may have to pass: a delay, a budget, a limiter} */
    static Hedger hedger() {
        return Hedger.builder("benchmark")
                .policy(HedgePolicy.builder().delay(HedgeDelay.fixed(PATIENCE)).build())
                .budget(HedgeBudget.of(0.1, 10))
                .limiter(Limiter.fixed(64))
                .build();
    }

    static ExecutorService executor() {
        return Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name("executor#0").factory());
    }

    /** The result of one thread. */
    final class Handoff implements Runnable {

        private final Thread caller = Thread.currentThread();
        private volatile @Nullable Object result;

        @Override
        public void run() {
            result = "value";
            LockSupport.unpark(caller);
        }

        Object call() {
            Thread.ofVirtual().name("floor#0").start(this);
            while (true) {
                Object present = result;
                if (present != null) {
                    return present;
                }
                LockSupport.parkNanos(this, PATIENCE.toNanos());
            }
        }
    }
}
