package dev.hedgescope.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.internal.time.Seam;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SimulationTest {

    @Test
    void a_seed_decides_the_whole_interleaving() {
        for (long seed = 0; seed < 200; seed++) {
            Simulation.Result first = everyFault().run(seed, SimulationTest::busyBody);
            Simulation.Result second = everyFault().run(seed, SimulationTest::busyBody);

            assertThat(second).isEqualTo(first);
        }
    }

    @Test
    void different_seeds_give_different_interleavings() {
        Set<Long> fingerprints = new HashSet<>();
        for (long seed = 0; seed < 200; seed++) {
            fingerprints.add(Simulation.run(seed, SimulationTest::busyBody).fingerprint());
        }

        assertThat(fingerprints).hasSizeGreaterThan(190);
    }

    private static SimulationOptions everyFault() {
        return Simulation.options()
                .logSwitches()
                .spuriousWakeups(0.2)
                .stalls(0.05, Duration.ofMillis(3))
                .lateUnparks(0.3, Duration.ofMillis(3))
                .startFails(SimulationOptions.StartFailure.RETURN_NULL, 0.2);
    }

    private static void busyBody(Simulation sim) throws InterruptedException {
        HedgeRuntime runtime = sim.runtime();
        Thread main = Thread.currentThread();
        for (int i = 0; i < 3; i++) {
            Duration work = Duration.ofMillis(sim.random().nextInt(5));
            runtime.start("worker#" + i, () -> {
                sim.sleepUninterruptibly(work);
                sim.log("worked until " + runtime.nanoTime() + ", drew " + runtime.nextRandom());
                runtime.unpark(main);
            });
        }
        runtime.park(10_000_000);
        sim.log("main woke");
    }

    @Test
    void a_lost_update_is_found_within_few_seeds() {
        int found = 0;
        for (long seed = 0; seed < 100; seed++) {
            int[] count = new int[1];
            Simulation.run(seed, sim -> {
                for (int i = 0; i < 2; i++) {
                    sim.start("adder " + i, () -> {
                        int read = count[0];
                        sim.point();
                        count[0] = read + 1;
                    });
                }
            });
            found += count[0] == 1 ? 1 : 0;
        }

        assertThat(found).isBetween(10, 90);
    }

    @Test
    void a_seam_is_a_point_inside_a_simulation_and_nothing_outside() {
        long without = Simulation.run(1, sim -> {}).points();
        Seam.at();

        long with = Simulation.run(1, sim -> Seam.at()).points();

        assertThat(with - without).isEqualTo(Seam.ON ? 1 : 0);
    }

    @Test
    void one_thread_runs_at_a_time() {
        AtomicInteger inside = new AtomicInteger();
        Simulation.run(7, sim -> {
            for (int i = 0; i < 5; i++) {
                sim.start("thread " + i, () -> {
                    for (int k = 0; k < 200; k++) {
                        assertThat(inside.incrementAndGet()).isEqualTo(1);
                        Thread.onSpinWait();
                        inside.decrementAndGet();
                        sim.point();
                    }
                });
            }
        });
    }

    @Test
    void time_moves_only_when_no_thread_can_run() {
        Simulation.Result result = Simulation.run(1, sim -> {
            HedgeRuntime runtime = sim.runtime();
            long start = runtime.nanoTime();
            sim.start("busy", () -> {
                for (int i = 0; i < 1_000; i++) {
                    sim.point();
                }
                assertThat(sim.millis()).isZero();
            });
            sim.sleep(Duration.ofNanos(1));
            assertThat(runtime.nanoTime() - start).isEqualTo(1);
            sim.sleep(Duration.ofHours(5));
            assertThat(runtime.nanoTime() - start).isEqualTo(Duration.ofHours(5).toNanos() + 1);
        });

        assertThat(result.elapsed()).isEqualTo(Duration.ofHours(5).plusNanos(1));
    }

    @Test
    void sleepers_wake_in_the_order_of_their_times() {
        for (long seed = 0; seed < 50; seed++) {
            Simulation.Result result = Simulation.run(seed, sim -> {
                for (int millis : new int[] {30, 10, 50, 20, 40}) {
                    sim.start("sleeper", () -> {
                        sim.sleep(Duration.ofMillis(millis));
                        sim.log("woke");
                    });
                }
            });

            assertThat(result.transcript())
                    .containsExactly("10 ms woke", "20 ms woke", "30 ms woke", "40 ms woke", "50 ms woke");
        }
    }

    @Test
    void sleepers_of_the_same_moment_wake_in_any_order() {
        Set<List<String>> orders = new HashSet<>();
        for (long seed = 0; seed < 100; seed++) {
            orders.add(Simulation.run(seed, sim -> {
                        for (String name : List.of("a", "b", "c")) {
                            sim.start(name, () -> {
                                sim.sleep(Duration.ofMillis(10));
                                sim.log(name);
                            });
                        }
                    })
                    .transcript());
        }

        assertThat(orders).hasSize(6);
    }

    @Test
    void the_clock_starts_below_zero_and_passes_it() {
        Simulation.orderly(sim -> {
            assertThat(sim.runtime().nanoTime()).isNegative();
            sim.sleep(Duration.ofMillis(10));
            assertThat(sim.runtime().nanoTime()).isZero();
        });
    }

    @Test
    void the_clock_wraps_around_where_asked_and_waits_do_not_notice() {
        Simulation.Result result = Simulation.options()
                .clockWrapsAfter(Duration.ofMillis(5))
                .run(3, sim -> {
                    long start = sim.runtime().nanoTime();
                    sim.sleep(Duration.ofMillis(4));
                    assertThat(sim.runtime().nanoTime()).isPositive();
                    sim.sleep(Duration.ofMillis(1));
                    assertThat(sim.runtime().nanoTime()).isEqualTo(Long.MIN_VALUE);
                    sim.sleep(Duration.ofMillis(5));
                    assertThat(sim.runtime().nanoTime() - start).isEqualTo(10_000_000);
                });

        assertThat(result.elapsed()).isEqualTo(Duration.ofMillis(10));
    }

    @Test
    void the_clock_jumps_and_waits_do_not_notice() {
        Simulation.Result result = Simulation.run(3, sim -> {
            long start = sim.runtime().nanoTime();
            sim.start("sleeper", () -> sim.sleep(Duration.ofMillis(20)));
            sim.sleep(Duration.ofMillis(5));
            sim.jumpClock(Duration.ofHours(-1));
            assertThat(sim.runtime().nanoTime() - start)
                    .isEqualTo(Duration.ofMillis(5).minusHours(1).toNanos());
            assertThat(sim.millis()).isEqualTo(5);
        });

        assertThat(result.elapsed()).isEqualTo(Duration.ofMillis(20));
    }

    @Test
    void an_orderly_run_tells_one_story() {
        Simulation.Result result = Simulation.orderly(sim -> {
            Thread main = Thread.currentThread();
            sim.runtime().start("#0", () -> {
                sim.log("start #0");
                sim.sleepUninterruptibly(Duration.ofMillis(20));
                sim.log("left #0");
            });
            sim.runtime().park(Duration.ofMillis(10).toNanos());
            sim.runtime().start("#1", () -> {
                sim.log("start #1");
                sim.sleepUninterruptibly(Duration.ofMillis(5));
                sim.log("won #1");
                sim.runtime().unpark(main);
            });
            sim.log("hedged");
            sim.runtime().park(Long.MAX_VALUE);
            sim.log("decided");
        });

        assertThat(result.transcript())
                .containsExactly(
                        "0 ms start #0",
                        "10 ms hedged",
                        "10 ms start #1",
                        "15 ms won #1",
                        "15 ms decided",
                        "20 ms left #0");
    }

    @Test
    void the_transcript_shows_switches_where_asked() {
        Simulation.Result result = Simulation.options().orderly().logSwitches().run(0, sim -> {
            sim.start("other", () -> sim.sleep(Duration.ofMillis(2)));
            sim.sleep(Duration.ofMillis(1));
            sim.log("done");
        });

        assertThat(result.transcript())
                .containsExactly("0 ms → main", "0 ms → other", "1 ms → main", "1 ms done", "2 ms → other");
        assertThat(result.switches()).isEqualTo(4);
    }

    @Test
    void the_threads_that_the_body_leaves_behind_run_to_their_end() {
        List<String> ended = new ArrayList<>();

        Simulation.run(
                5,
                sim -> sim.start("child", () -> {
                    sim.sleep(Duration.ofMillis(5));
                    sim.start("grandchild", () -> {
                        sim.sleep(Duration.ofDays(1));
                        ended.add("grandchild");
                    });
                }));

        assertThat(ended).containsExactly("grandchild");
    }

    @Test
    void join_waits_for_one_thread_and_joinAll_for_every_other() {
        Simulation.run(11, sim -> {
            Thread shorter = sim.start("shorter", () -> sim.sleep(Duration.ofMillis(10)));
            sim.start("longer", () -> sim.sleep(Duration.ofMillis(30)));

            sim.join(shorter);
            assertThat(sim.millis()).isEqualTo(10);
            sim.joinAll();
            assertThat(sim.millis()).isEqualTo(30);
            sim.join(shorter);
            sim.joinAll();
            assertThat(sim.millis()).isEqualTo(30);
        });
    }

    @Test
    void random_numbers_do_not_disturb_the_schedule() {
        long without = Simulation.run(9, sim -> twoThreads(sim, false)).fingerprint();
        long with = Simulation.run(9, sim -> twoThreads(sim, true)).fingerprint();

        assertThat(with).isEqualTo(without);
    }

    private static void twoThreads(Simulation sim, boolean draw) {
        for (int i = 0; i < 2; i++) {
            sim.start("thread " + i, () -> {
                for (int k = 0; k < 20; k++) {
                    if (draw) {
                        sim.random().nextLong();
                    }
                    sim.point();
                }
            });
        }
    }

    @Test
    void a_given_chooser_makes_every_decision() {
        List<String> order = new ArrayList<>();

        Simulation.options()
                .chooser((candidates, mayStay) -> candidates - 1)
                .spuriousWakeups(0)
                .run(0, sim -> {
                    sim.start("a", () -> order.add("a"));
                    order.add("main");
                });

        assertThat(order).containsExactly("a", "main");
    }

    @Test
    void the_threads_are_virtual_and_carry_their_names() {
        Simulation.run(2, sim -> {
            assertThat(Thread.currentThread().getName()).isEqualTo("main");
            Thread thread = sim.runtime()
                    .start(
                            "quotes#0",
                            () -> assertThat(Thread.currentThread())
                                    .satisfies(me -> assertThat(me.getName()).isEqualTo("quotes#0"))
                                    .satisfies(me -> assertThat(me.isVirtual()).isTrue()));
            assertThat(thread.getName()).isEqualTo("quotes#0");
        });
    }

    @Test
    void simulations_on_several_threads_do_not_meet() throws InterruptedException {
        Simulation.Result alone = everyFault().run(77, SimulationTest::busyBody);
        List<Simulation.Result> results = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int k = 0; k < 50; k++) {
                    Simulation.Result result = everyFault().run(77, SimulationTest::busyBody);
                    synchronized (results) {
                        results.add(result);
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(results).hasSize(200).containsOnly(alone);
    }

    @Test
    void a_simulation_inside_a_simulation_is_refused() {
        Simulation.run(
                1,
                sim -> assertThatThrownBy(() -> Simulation.run(2, inner -> {}))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("inside a simulation"));
    }

    @Test
    void every_seed_of_a_range_is_run() {
        List<Long> seeds = new ArrayList<>();

        Simulation.runAll(40, 3, sim -> seeds.add(sim.seed()));

        assertThat(seeds).containsExactly(40L, 41L, 42L);
    }
}
