package dev.hedgescope.internal.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hedgescope.Limiter;
import dev.hedgescope.Limiter.Permit;
import dev.hedgescope.testing.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Threads that take, wait for and settle permits, give up and are interrupted, while the limit moves, in an order that a
 * seed decides.
 *
 * <p>Checked: never more permits held than the greatest limit in force since the oldest of them was asked for; nobody
 * waits for ever while a permit is free, since the simulation reports that as a deadlock; at rest every permit is free,
 * and there are as many as the limit says.
 */
class LimiterSimulationTest {

    private static final int SEEDS =
            Integer.getInteger("hedgescope.seeds", Boolean.getBoolean("hedgescope.thorough") ? 200_000 : 2_000);

    @Test
    void permits_are_neither_lost_nor_invented() {
        Simulation.options().spuriousWakeups(0.05).runAll(1, SEEDS, sim -> new Story(sim).run());
    }

    @Test
    void permits_are_neither_lost_nor_invented_by_threads_that_stall() {
        Simulation.options()
                .stalls(0.02, Duration.ofMillis(5))
                .lateUnparks(0.1, Duration.ofMillis(5))
                .clockWrapsAfter(Duration.ofMillis(7))
                .runAll(1_000_000_000, SEEDS / 2, sim -> new Story(sim).run());
    }

    private static final class Story {

        private static final int GREATEST_LIMIT = 3;

        private final Simulation sim;
        private final RandomGenerator random;
        private final Limiter.Adjustable limiter;

        /** Every limit in the order of its setting, and how many of the calls that set them have returned. */
        private final List<Integer> limits = new ArrayList<>();

        private int limitsDone;

        /** For each permit held: the oldest limit under which it may have been taken. */
        private final List<Integer> held = new ArrayList<>();

        /**
         * For each call of the limiter that has not returned: {@link #limitsDone} when it began. A thread inside may have taken a
         * permit under the limit of that time, and hand it to somebody who came after the limit was lowered.
         */
        private final List<Integer> inside = new ArrayList<>();

        Story(Simulation sim) {
            this.sim = sim;
            this.random = sim.random();
            int first = random.nextInt(GREATEST_LIMIT + 1);
            this.limits.add(first);
            this.limiter = Limiter.fixed(first, sim.runtime());
        }

        void run() throws InterruptedException {
            List<Thread> workers = new ArrayList<>();
            int count = 2 + random.nextInt(4);
            for (int i = 0; i < count; i++) {
                workers.add(sim.start("worker " + i, this::work));
            }
            int changes = random.nextInt(5);
            for (int i = 0; i < changes; i++) {
                sim.sleep(millis(3));
                if (random.nextBoolean()) {
                    resize(random.nextInt(GREATEST_LIMIT + 1));
                } else {
                    sim.interrupt(workers.get(random.nextInt(count)));
                }
            }
            resize(1 + random.nextInt(GREATEST_LIMIT)); // lets those come in who wait for ever
            for (Thread worker : workers) {
                sim.join(worker);
            }
            assertAtRest();
        }

        private void work() {
            int rounds = 1 + random.nextInt(4);
            for (int i = 0; i < rounds; i++) {
                Integer mine = limitsDone;
                inside.add(mine);
                Integer asked = inside.stream().min(Integer::compare).orElseThrow();
                Permit permit = ask();
                inside.remove(mine);
                if (permit != null) {
                    held.add(asked);
                    assertThat(held.size()).isLessThanOrEqualTo(greatestLimitSince(held));
                    sim.sleepUninterruptibly(millis(4));
                    held.remove(asked);
                    Integer settling = limitsDone;
                    inside.add(settling);
                    settle(permit);
                    inside.remove(settling);
                }
            }
        }

        private @Nullable Permit ask() {
            try {
                return switch (random.nextInt(5)) {
                    case 0 -> limiter.tryAcquire();
                    case 1 -> limiter.tryAcquireHedge();
                    case 2 -> limiter.acquire(millis(5));
                    default -> limiter.acquire(Duration.ofSeconds(Long.MAX_VALUE));
                };
            } catch (InterruptedException e) {
                return null;
            }
        }

        private void settle(Permit permit) {
            switch (random.nextInt(3)) {
                case 0 -> permit.success();
                case 1 -> permit.ignore();
                default -> permit.drop();
            }
        }

        private void resize(int limit) {
            Integer mine = limitsDone;
            inside.add(mine);
            limits.add(limit);
            limiter.limit(limit);
            inside.remove(mine);
            limitsDone = limits.size() - 1;
        }

        /** A limit is in force from somewhere in the call that sets it to somewhere in the call that sets the next. */
        private int greatestLimitSince(List<Integer> asked) {
            int oldest = asked.stream().min(Integer::compare).orElseThrow();
            return limits.subList(oldest, limits.size()).stream()
                    .max(Integer::compare)
                    .orElseThrow();
        }

        private void assertAtRest() {
            int limit = limits.getLast();
            assertThat(limiter).hasToString("Limiter[0 of " + limit + " permits held, 0 waiting]");
            for (int i = 0; i < limit; i++) {
                assertThat(limiter.tryAcquire()).isNotNull();
            }
            assertThat(limiter.tryAcquire()).isNull();
        }

        private Duration millis(int bound) {
            return Duration.ofMillis(random.nextInt(bound));
        }
    }
}
