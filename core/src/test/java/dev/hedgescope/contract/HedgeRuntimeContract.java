package dev.hedgescope.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hedgescope.HedgeRuntime;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What every runtime has to do; extend it, and say how to run a body on a thread of yours. */
abstract class HedgeRuntimeContract {

    private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);

    /** A test's body. */
    @FunctionalInterface
    interface Body {

        void run(HedgeRuntime runtime) throws Exception;
    }

    /** Runs the body with the runtime, on a thread that may use it. */
    abstract void with(Body body) throws Exception;

    private static void await(HedgeRuntime runtime, AtomicBoolean condition) {
        while (!condition.get()) {
            runtime.park(MILLISECOND);
        }
    }

    @Test
    void a_started_thread_runs_its_body_under_its_name() throws Exception {
        with(runtime -> {
            AtomicBoolean done = new AtomicBoolean();
            AtomicReference<String> name = new AtomicReference<>();

            Thread thread = runtime.start("quote#0", () -> {
                name.set(Thread.currentThread().getName());
                done.set(true);
            });
            await(runtime, done);

            assertThat(thread).isNotNull().isNotSameAs(Thread.currentThread());
            assertThat(name).hasValue("quote#0");
        });
    }

    @Test
    void time_passes_while_a_thread_is_parked() throws Exception {
        with(runtime -> {
            long begin = runtime.nanoTime();

            while (runtime.nanoTime() - begin < 5 * MILLISECOND) {
                runtime.park(5 * MILLISECOND - (runtime.nanoTime() - begin));
            }

            assertThat(runtime.nanoTime() - begin).isGreaterThanOrEqualTo(5 * MILLISECOND);
        });
    }

    @Test
    void parking_for_no_time_returns_at_once() throws Exception {
        with(runtime -> {
            runtime.park(0);
            runtime.park(-1);
            runtime.park(Long.MIN_VALUE);

            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void an_unpark_that_comes_first_is_not_lost() throws Exception {
        with(runtime -> {
            runtime.unpark(Thread.currentThread());

            runtime.park(Long.MAX_VALUE);

            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void an_interrupt_ends_a_park_and_the_flag_stays() throws Exception {
        with(runtime -> {
            AtomicBoolean entered = new AtomicBoolean();
            AtomicBoolean flag = new AtomicBoolean();
            AtomicBoolean done = new AtomicBoolean();
            Thread thread = runtime.start("parked", () -> {
                entered.set(true);
                while (!Thread.currentThread().isInterrupted()) {
                    runtime.park(Long.MAX_VALUE);
                }
                runtime.park(Long.MAX_VALUE); // returns at once, since the flag is set
                flag.set(Thread.currentThread().isInterrupted());
                done.set(true);
            });
            await(runtime, entered);

            runtime.interrupt(thread);
            await(runtime, done);

            assertThat(flag).isTrue();
        });
    }

    @Test
    void waking_a_thread_that_has_ended_does_nothing() throws Exception {
        with(runtime -> {
            AtomicBoolean done = new AtomicBoolean();
            Thread thread = runtime.start("short", () -> done.set(true));
            await(runtime, done);

            runtime.unpark(thread);
            runtime.interrupt(thread);

            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void random_numbers_differ_and_use_all_bits() throws Exception {
        with(runtime -> {
            Set<Long> numbers = new HashSet<>();
            long ones = 0;
            long zeros = 0;

            for (int i = 0; i < 200; i++) {
                long number = runtime.nextRandom();
                numbers.add(number);
                ones |= number;
                zeros |= ~number;
            }

            assertThat(numbers).hasSize(200);
            assertThat(ones).isEqualTo(-1);
            assertThat(zeros).isEqualTo(-1);
        });
    }
}
