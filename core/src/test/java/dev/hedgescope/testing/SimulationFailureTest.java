package dev.hedgescope.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class SimulationFailureTest {

    private static SimulationFailure failureOf(SimulationOptions options, Simulation.Body body) {
        return catchThrowableOfType(SimulationFailure.class, () -> options.run(42, body));
    }

    private static SimulationFailure failureOf(Simulation.Body body) {
        return failureOf(Simulation.options().spuriousWakeups(0), body);
    }

    @Test
    void what_the_body_throws_is_the_cause_and_the_message_names_seed_and_transcript() {
        IOException thrown = new IOException("no route");

        SimulationFailure failure = failureOf(sim -> {
            sim.sleep(Duration.ofMillis(7));
            sim.log("started");
            throw thrown;
        });

        assertThat(failure).hasCause(thrown).hasMessage("""
            thread 'main' threw java.io.IOException: no route
            seed 42; replay with -Dhedgescope.seed=42
              7 ms started\
            """);
        assertThat(failure.seed()).isEqualTo(42);
        assertThat(failure.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("failureOf"));
    }

    @Test
    void what_any_thread_throws_fails_the_simulation() {
        AssertionError thrown = new AssertionError("wrong");

        SimulationFailure failure = failureOf(sim -> {
            sim.start("checker", () -> {
                throw thrown;
            });
            sim.sleep(Duration.ofDays(1));
        });

        assertThat(failure).hasCause(thrown).hasMessageStartingWith("thread 'checker' threw ");
    }

    @Test
    void a_long_transcript_is_cut_at_its_beginning() {
        SimulationFailure failure = failureOf(sim -> {
            for (int i = 1; i <= 250; i++) {
                sim.log("line " + i);
            }
            throw new IOException();
        });

        assertThat(failure.getMessage())
                .contains("(150 earlier lines left out)\n  0 ms line 151\n")
                .doesNotContain("line 150\n");
    }

    @Test
    void a_deadlock_is_reported_with_every_thread_and_its_stack() {
        SimulationFailure failure = failureOf(sim -> {
            sim.start("waits for main", () -> parkForGood(sim));
            sim.sleep(Duration.ofMillis(3));
            joinForGood(sim);
        });

        assertThat(failure.getMessage())
                .startsWith("deadlock at 3 ms: no thread can run and no timer is set")
                .containsPattern("'main' JOINING\n( +at .*\n){1,6} +at .*SimulationFailureTest.joinForGood")
                .containsPattern("'waits for main' PARKED\n( +at .*\n){1,6} +at .*SimulationFailureTest.parkForGood")
                .doesNotContain("LockSupport", "Scheduler", "VirtualThread");
    }

    private static void parkForGood(Simulation sim) {
        sim.runtime().park(Long.MAX_VALUE);
    }

    private static void joinForGood(Simulation sim) throws InterruptedException {
        sim.joinAll();
    }

    @Test
    void a_thread_that_the_body_leaves_parked_is_a_deadlock() {
        SimulationFailure failure = failureOf(sim -> sim.start("left behind", () -> parkForGood(sim)));

        assertThat(failure).hasMessageStartingWith("deadlock").hasMessageContaining("'left behind' PARKED");
    }

    @Test
    void threads_that_spin_while_time_stands_still_are_a_livelock() {
        SimulationFailure failure =
                failureOf(Simulation.options().pointsPerInstant(1_000), SimulationFailureTest::spin);

        assertThat(failure.getMessage())
                .startsWith("livelock at 0 ms: more than 1000 points and time does not move")
                .containsPattern("'main' RUNNING\n( +at .*\n)* +at .*SimulationFailureTest.spin");
    }

    private static void spin(Simulation sim) {
        while (true) {
            sim.point();
        }
    }

    @Test
    void points_are_counted_anew_when_time_moves() {
        Simulation.options().pointsPerInstant(100).run(1, sim -> {
            for (int i = 0; i < 1_000; i++) {
                sim.sleep(Duration.ofNanos(1));
            }
        });
    }

    @Test
    void a_thread_that_goes_on_for_ever_after_the_body_is_reported() {
        SimulationFailure failure = failureOf(
                Simulation.options().pointsAfterwards(1_000),
                sim -> sim.start("ticker", () -> {
                    while (true) {
                        sim.sleep(Duration.ofMillis(1));
                    }
                }));

        assertThat(failure)
                .hasMessageContaining("1000 points after the body has returned")
                .hasMessageContaining("'ticker' RUNNING");
    }

    @Test
    void a_thread_that_blocks_outside_is_named_by_the_watchdog() {
        CountDownLatch never = new CountDownLatch(1);

        SimulationFailure failure = failureOf(Simulation.options().watchdog(Duration.ofMillis(50)), sim -> {
            sim.start("blocked", never::await);
            sim.sleep(Duration.ofMillis(5));
        });

        assertThat(failure.getMessage())
                .startsWith("thread 'blocked' has used no verb of the simulation for 50 ms of real time")
                .containsPattern("'blocked' RUNNING\n( +at .*\n)*.*CountDownLatch.await");
    }

    @Test
    void every_point_is_a_sign_of_life_for_the_watchdog() {
        SimulationOptions options = Simulation.options();
        Scheduler scheduler =
                new Scheduler(1, options, Chooser.orderly(), new Faults(options, new SplittableRandom(1)));
        scheduler.run(() -> {
            scheduler.point();
            assertThat(scheduler.isSilent()).isFalse();
            assertThat(scheduler.isSilent()).isTrue();
            scheduler.point();
            assertThat(scheduler.isSilent()).isFalse();
        });
    }

    @Test
    void after_a_failure_no_thread_gets_past_its_next_verb() {
        List<String> ranOn = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();

        SimulationFailure failure = failureOf(sim -> {
            for (int i = 0; i < 3; i++) {
                threads.add(sim.start("survivor " + i, () -> {
                    try {
                        sim.sleep(Duration.ofMillis(10));
                        ranOn.add("woke");
                    } catch (RuntimeException | InterruptedException e) {
                        ranOn.add("caught " + e);
                    } finally {
                        readClock(sim, ranOn);
                    }
                }));
            }
            sim.sleep(Duration.ofMillis(5));
            throw new IOException();
        });

        assertThat(failure).hasCauseInstanceOf(IOException.class);
        assertThat(ranOn).isEmpty();
        assertThat(threads).hasSize(3).noneMatch(Thread::isAlive);
    }

    private static void readClock(Simulation sim, List<String> ranOn) {
        try {
            sim.runtime().nanoTime();
            ranOn.add("read the clock");
        } catch (RuntimeException e) {
            ranOn.add("caught " + e);
        }
    }

    @Test
    void a_thread_that_catches_even_its_own_death_is_stopped() {
        SimulationFailure failure = failureOf(sim -> {
            sim.start("stubborn", () -> {
                while (true) {
                    try {
                        sim.sleep(Duration.ofMillis(1));
                    } catch (Throwable e) {
                        // once more
                    }
                }
            });
            sim.sleep(Duration.ofMillis(5));
            throw new IOException();
        });

        assertThat(failure).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void an_interrupt_of_the_caller_waits_for_the_end_and_is_kept() {
        Thread.currentThread().interrupt();
        Simulation.Result result = Simulation.run(1, sim -> sim.sleep(Duration.ofMillis(5)));

        assertThat(Thread.interrupted()).isTrue();
        assertThat(result.elapsed()).isEqualTo(Duration.ofMillis(5));
    }

    @Test
    void the_first_seed_that_fails_ends_a_range() {
        List<Long> seeds = new ArrayList<>();

        assertThatThrownBy(() -> Simulation.runAll(10, 5, sim -> {
                    seeds.add(sim.seed());
                    assertThat(sim.seed()).isLessThan(12);
                }))
                .isInstanceOf(SimulationFailure.class)
                .hasMessageContaining("seed 12; replay with -Dhedgescope.seed=12");
        assertThat(seeds).containsExactly(10L, 11L, 12L);
    }
}
