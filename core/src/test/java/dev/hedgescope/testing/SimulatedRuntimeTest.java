package dev.hedgescope.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.testing.SimulationOptions.StartFailure;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class SimulatedRuntimeTest {

    private static final int SEEDS = 50;

    private static final long FOREVER = Long.MAX_VALUE;

    private static void underSeeds(Simulation.Body body) {
        Simulation.options().spuriousWakeups(0).runAll(0, SEEDS, body);
    }

    @Test
    void a_parked_thread_wakes_when_unparked() {
        underSeeds(sim -> {
            Thread main = Thread.currentThread();
            sim.start("waker", () -> {
                sim.sleep(Duration.ofMillis(3));
                sim.runtime().unpark(main);
            });

            sim.runtime().park(FOREVER);

            assertThat(sim.millis()).isEqualTo(3);
        });
    }

    @Test
    void a_parked_thread_wakes_when_its_time_is_over() {
        underSeeds(sim -> {
            sim.runtime().park(3_000_000);

            assertThat(sim.millis()).isEqualTo(3);
        });
    }

    @Test
    void a_park_of_no_time_returns_and_leaves_the_permit() {
        underSeeds(sim -> {
            sim.runtime().unpark(Thread.currentThread());
            sim.runtime().park(0);
            sim.runtime().park(-1);
            sim.runtime().park(FOREVER);

            assertThat(sim.millis()).isZero();
        });
    }

    @Test
    void an_unpark_that_comes_first_is_kept_once() {
        underSeeds(sim -> {
            sim.runtime().unpark(Thread.currentThread());
            sim.runtime().unpark(Thread.currentThread());

            sim.runtime().park(5_000_000);
            assertThat(sim.millis()).isZero();
            sim.runtime().park(5_000_000);
            assertThat(sim.millis()).isEqualTo(5);
        });
    }

    @Test
    void an_unpark_that_wakes_leaves_no_permit() {
        underSeeds(sim -> {
            Thread main = Thread.currentThread();
            sim.start("waker", () -> {
                sim.sleep(Duration.ofMillis(1));
                sim.runtime().unpark(main);
            });

            sim.runtime().park(FOREVER);
            sim.runtime().park(5_000_000);

            assertThat(sim.millis()).isEqualTo(6);
        });
    }

    @Test
    void an_early_wakeup_does_not_shorten_the_next_park() {
        underSeeds(sim -> {
            Thread main = Thread.currentThread();
            sim.start("waker", () -> {
                sim.sleep(Duration.ofMillis(1));
                sim.runtime().unpark(main);
            });

            sim.runtime().park(5_000_000);
            sim.runtime().park(20_000_000);

            assertThat(sim.millis()).isEqualTo(21);
        });
    }

    @Test
    void park_returns_at_once_while_the_flag_is_set_and_keeps_it() {
        underSeeds(sim -> {
            Thread.currentThread().interrupt();

            sim.runtime().park(FOREVER);

            assertThat(sim.millis()).isZero();
            assertThat(Thread.interrupted()).isTrue();
        });
    }

    @Test
    void an_interrupt_wakes_a_parked_thread_with_the_flag_set() {
        underSeeds(sim -> {
            Thread main = Thread.currentThread();
            sim.start("interrupter", () -> {
                sim.sleep(Duration.ofMillis(2));
                sim.runtime().interrupt(main);
            });

            sim.runtime().park(FOREVER);

            assertThat(sim.millis()).isEqualTo(2);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(Thread.interrupted()).isFalse();
        });
    }

    @Test
    void an_interrupt_of_a_runnable_thread_is_seen_at_its_next_step() {
        underSeeds(sim -> {
            boolean[] interrupted = new boolean[1];
            Thread thread = sim.start("runnable", () -> {
                while (!Thread.interrupted()) {
                    assertThat(interrupted[0]).isFalse();
                    sim.point();
                }
            });
            sim.interrupt(thread);
            interrupted[0] = true;
        });
    }

    @Test
    void an_interrupted_thread_that_waits_for_its_turn_keeps_its_flag_through_any_number_of_switches() {
        underSeeds(sim -> {
            for (int i = 0; i < 3; i++) {
                boolean set = i % 2 == 0;
                sim.start("thread " + i, () -> {
                    if (set) {
                        Thread.currentThread().interrupt();
                    }
                    for (int k = 0; k < 20; k++) {
                        sim.point();
                        assertThat(Thread.currentThread().isInterrupted()).isEqualTo(set);
                    }
                    sim.sleepUninterruptibly(Duration.ofMillis(1));
                    assertThat(Thread.currentThread().isInterrupted()).isEqualTo(set);
                });
            }
        });
    }

    @Test
    void a_direct_interrupt_of_a_waiting_thread_is_not_lost() {
        underSeeds(sim -> {
            Thread sleeper = sim.start("sleeper", () -> {
                sim.sleepUninterruptibly(Duration.ofMillis(1));
                assertThat(Thread.interrupted()).isTrue();
            });
            sleeper.interrupt();
        });
    }

    @Test
    void sleep_ends_with_an_exception_when_interrupted() {
        underSeeds(sim -> {
            Thread sleeper = sim.start("sleeper", () -> {
                assertThatThrownBy(() -> sim.sleep(Duration.ofMillis(10))).isInstanceOf(InterruptedException.class);
                assertThat(sim.millis()).isEqualTo(4);
                assertThat(Thread.currentThread().isInterrupted()).isFalse();
            });
            sim.sleep(Duration.ofMillis(4));
            sim.interrupt(sleeper);
        });
    }

    @Test
    void sleep_and_join_refuse_an_interrupted_thread() {
        underSeeds(sim -> {
            Thread other = sim.start("other", () -> sim.sleep(Duration.ofMillis(5)));
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> sim.sleep(Duration.ofMillis(5))).isInstanceOf(InterruptedException.class);
            assertThat(sim.millis()).isZero();
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> sim.join(other)).isInstanceOf(InterruptedException.class);
            assertThat(sim.millis()).isZero();
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        });
    }

    @Test
    void an_interrupted_join_forgets_whom_it_waited_for() {
        underSeeds(sim -> {
            Thread first = sim.start("first", () -> sim.sleep(Duration.ofMillis(10)));
            Thread second = sim.start("second", () -> sim.sleep(Duration.ofMillis(20)));
            Thread joiner = sim.start("joiner", () -> {
                assertThatThrownBy(() -> sim.join(first)).isInstanceOf(InterruptedException.class);
                sim.join(second);
                assertThat(sim.millis()).isEqualTo(20);
            });
            sim.sleep(Duration.ofMillis(5));
            sim.interrupt(joiner);
        });
    }

    @Test
    void sleepUninterruptibly_sleeps_to_the_end_and_keeps_the_flag() {
        underSeeds(sim -> {
            Thread sleeper = sim.start("sleeper", () -> {
                sim.sleepUninterruptibly(Duration.ofMillis(10));
                assertThat(sim.millis()).isEqualTo(10);
                assertThat(Thread.interrupted()).isTrue();
            });
            sim.sleep(Duration.ofMillis(4));
            sim.interrupt(sleeper);
        });
    }

    @Test
    void an_unpark_does_not_wake_a_sleeper_and_waits_for_its_park() {
        underSeeds(sim -> {
            Thread sleeper = sim.start("sleeper", () -> {
                sim.sleep(Duration.ofMillis(10));
                assertThat(sim.millis()).isEqualTo(10);
                sim.runtime().park(FOREVER);
                assertThat(sim.millis()).isEqualTo(10);
            });
            sim.sleep(Duration.ofMillis(4));
            sim.runtime().unpark(sleeper);
        });
    }

    @Test
    void threads_that_have_ended_and_strange_ones_can_be_unparked() {
        underSeeds(sim -> {
            Thread ended = sim.start("short", () -> {});
            sim.join(ended);

            sim.runtime().unpark(ended);
            sim.runtime().interrupt(ended);
            sim.runtime().unpark(Thread.ofVirtual().unstarted(() -> {}));
        });
    }

    @Test
    void a_park_returns_for_no_reason_now_and_then() {
        int early = 0;
        for (long seed = 0; seed < 1_000; seed++) {
            Simulation.Result result = Simulation.options()
                    .spuriousWakeups(0.1)
                    .run(seed, sim -> sim.runtime().park(Duration.ofHours(1).toNanos()));
            early += result.elapsed().equals(Duration.ofHours(1)) ? 0 : 1;
        }

        assertThat(early).isBetween(60, 140);
    }

    @Test
    void a_spurious_wakeup_ends_a_park_without_end_at_once_or_not_at_all() {
        Simulation.options().spuriousWakeups(1).runAll(0, SEEDS, sim -> {
            sim.runtime().park(FOREVER);
            assertThat(sim.millis()).isZero();
        });
    }

    @Test
    void an_unpark_may_come_late() {
        int late = 0;
        for (long seed = 0; seed < 100; seed++) {
            Simulation.Result result = Simulation.options()
                    .spuriousWakeups(0)
                    .lateUnparks(0.5, Duration.ofMillis(10))
                    .run(seed, sim -> {
                        Thread main = Thread.currentThread();
                        sim.start("waker", () -> sim.runtime().unpark(main));
                        sim.runtime().park(FOREVER);
                    });
            assertThat(result.elapsed()).isBetween(Duration.ZERO, Duration.ofMillis(10));
            late += result.elapsed().isZero() ? 0 : 1;
        }

        assertThat(late).isBetween(30, 70);
    }

    @Test
    void a_stalled_thread_lets_time_pass_before_its_next_step() {
        int overtaken = 0;
        for (long seed = 0; seed < 100; seed++) {
            Simulation.Result result = Simulation.options()
                    .stalls(0.2, Duration.ofMillis(10))
                    .run(seed, sim -> {
                        sim.start("starter", () -> {
                            sim.point();
                            sim.log("entered");
                        });
                        sim.sleep(Duration.ofMillis(1));
                        sim.log("timer");
                    });
            overtaken += result.transcript().getLast().endsWith("entered") ? 1 : 0;
        }

        assertThat(overtaken).isBetween(10, 60);
    }

    @Test
    void a_thread_that_cannot_start_is_an_error_or_null_and_never_runs() {
        Simulation.options()
                .startFails(StartFailure.THROW, name -> name.equals("b"))
                .run(1, sim -> {
                    sim.runtime().start("a", () -> {});
                    assertThatThrownBy(() -> sim.runtime().start("b", () -> sim.log("ran")))
                            .isInstanceOf(OutOfMemoryError.class)
                            .hasMessage("cannot create thread b");
                    assertThat(sim.transcript()).isEmpty();
                });
        Simulation.options().startFails(StartFailure.RETURN_NULL, 1.0).run(1, sim -> {
            assertThat(sim.runtime().start("a", () -> sim.log("ran"))).isNull();
            assertThat(sim.start("own", () -> {})).isNotNull();
            sim.joinAll();
            assertThat(sim.transcript()).isEmpty();
        });
    }

    @Test
    void a_stranger_may_not_use_the_runtime() {
        AtomicReference<HedgeRuntime> kept = new AtomicReference<>();
        AtomicReference<Simulation> keptSimulation = new AtomicReference<>();
        Simulation.run(1, sim -> {
            kept.set(sim.runtime());
            keptSimulation.set(sim);
        });
        HedgeRuntime runtime = kept.get();

        assertRefused(runtime::nanoTime);
        assertRefused(runtime::nextRandom);
        assertRefused(() -> runtime.park(1));
        assertRefused(() -> runtime.unpark(Thread.currentThread()));
        assertRefused(() -> runtime.interrupt(Thread.currentThread()));
        assertRefused(() -> runtime.start("a", () -> {}));
        assertRefused(() -> keptSimulation.get().log("text"));
        assertRefused(() -> keptSimulation.get().millis());
        assertRefused(() -> keptSimulation.get().transcript());
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    private static void assertRefused(ThrowingCallable use) {
        assertThatThrownBy(use)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("'" + Thread.currentThread().getName() + "' is not a thread of this simulation");
    }

    @Test
    void options_out_of_range_are_refused() {
        assertThatThrownBy(() -> Simulation.options().spuriousWakeups(1.5))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rate of spurious wake-ups must be between 0 and 1, was 1.5");
        assertThatThrownBy(() -> Simulation.options().stalls(0.1, Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("longest stall must be positive, was PT0S");
        assertThatThrownBy(() -> Simulation.options().pointsPerInstant(0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("points per instant must be at least 1, was 0");
    }
}
