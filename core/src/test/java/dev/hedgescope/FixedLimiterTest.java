package dev.hedgescope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.Limiter.Permit;
import dev.hedgescope.testing.Simulation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The contract, and what is the fixed limiter's own: a limit that can be moved. */
class FixedLimiterTest extends LimiterContract {

    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    @Override
    protected Limiter create(int permits) {
        return Limiter.fixed(permits);
    }

    @Test
    void a_raised_limit_serves_those_who_wait() throws InterruptedException {
        Limiter.Adjustable limiter = Limiter.fixed(0);
        Racer[] waiters = new Racer[3];
        for (int i = 0; i < waiters.length; i++) {
            waiters[i] = Racer.start(() -> assertThat(limiter.acquire(FOREVER)).isNotNull())
                    .untilParked();
        }
        assertThat(limiter).hasToString("Limiter[0 of 0 permits held, 3 waiting]");

        limiter.limit(2);

        Racer.until(() -> limiter.toString().equals("Limiter[2 of 2 permits held, 1 waiting]"));
        limiter.limit(3);
        Racer.joinAll(waiters);
        assertThat(limiter).hasToString("Limiter[3 of 3 permits held, 0 waiting]");
    }

    @Test
    void a_lowered_limit_is_reached_as_permits_come_back() {
        Limiter.Adjustable limiter = Limiter.fixed(3);
        List<Permit> held = take(limiter, 3);

        limiter.limit(1);

        assertThat(limiter.limit()).isEqualTo(1);
        for (int left = 3; left >= 1; left--) {
            assertThat(limiter.inUse()).isEqualTo(left);
            assertThat(limiter.tryAcquire()).isNull();
            held.removeLast().ignore();
        }
        assertThat(limiter.inUse()).isZero();
        assertThat(take(limiter, 1)).hasSize(1);
        assertThat(limiter.tryAcquire()).isNull();
    }

    @Test
    void a_permit_that_pays_a_debt_wakes_nobody() throws InterruptedException {
        Limiter.Adjustable limiter = Limiter.fixed(2);
        List<Permit> held = take(limiter, 2);
        limiter.limit(1);
        Racer waiter = Racer.start(() -> limiter.acquire(FOREVER).success()).untilParked();

        held.removeLast().success();

        assertThat(limiter).hasToString("Limiter[1 of 1 permits held, 1 waiting]");
        held.removeLast().success();
        waiter.join();
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void limits_set_at_the_same_time_lose_and_invent_no_permit() throws InterruptedException {
        Limiter.Adjustable limiter = Limiter.fixed(5);
        List<Permit> held = take(limiter, 5);
        int[] limits = {0, Integer.MAX_VALUE, 3, 7};
        Racer[] racers = Racer.start(2, () -> {
            for (int i = 0; i < 20_000; i++) {
                limiter.limit(limits[i % limits.length]);
                assertThat(limiter.inUse()).isEqualTo(5);
            }
        });

        Racer.joinAll(racers);

        limiter.limit(6);
        assertThat(limiter.inUse()).isEqualTo(5);
        assertThat(take(limiter, 1)).hasSize(1);
        assertThat(limiter.tryAcquire()).isNull();
        held.forEach(Permit::success);
        assertThat(limiter.inUse()).isEqualTo(1);
    }

    @Test
    void a_waiter_thrown_out_of_its_wait_takes_no_permit_along() {
        HedgeRuntime broken = new DelegatingRuntime() {
            @Override
            public void park(long nanos) {
                throw new StackOverflowError("no stack left");
            }
        };
        Limiter limiter = Limiter.fixed(1, broken);
        Permit held = limiter.tryAcquire();

        assertThatThrownBy(() -> limiter.acquire(FOREVER)).isInstanceOf(StackOverflowError.class);

        assertThat(limiter).hasToString("Limiter[1 of 1 permits held, 0 waiting]");
        held.success();
        assertThat(take(limiter, 1)).hasSize(1);
    }

    @Test
    void a_permit_granted_to_a_waiter_that_is_thrown_out_is_given_back() {
        List<Permit> held = new ArrayList<>();
        HedgeRuntime broken = new DelegatingRuntime() {
            @Override
            public void park(long nanos) {
                held.removeLast().success();
                throw new StackOverflowError("no stack left");
            }
        };
        Limiter limiter = Limiter.fixed(1, broken);
        held.addAll(take(limiter, 1));

        assertThatThrownBy(() -> limiter.acquire(FOREVER)).isInstanceOf(StackOverflowError.class);

        assertThat(limiter).hasToString("Limiter[0 of 1 permits held, 0 waiting]");
    }

    @Test
    void a_clock_that_goes_back_costs_a_waiter_no_more_than_it_has_waited() {
        Simulation.options().orderly().run(0, sim -> {
            Limiter limiter = Limiter.fixed(0, sim.runtime());
            sim.start("clock", () -> {
                sim.sleep(Duration.ofMillis(4));
                sim.jumpClock(Duration.ofDays(-1));
            });

            assertThat(limiter.acquire(Duration.ofMillis(10))).isNull();

            assertThat(sim.millis()).isEqualTo(20);
        });
    }

    @Test
    void a_clock_that_wraps_around_ends_a_wait_in_time() {
        Simulation.options().orderly().clockWrapsAfter(Duration.ofMillis(5)).run(0, sim -> {
            Limiter limiter = Limiter.fixed(0, sim.runtime());

            assertThat(limiter.acquire(Duration.ofMillis(10))).isNull();

            assertThat(sim.millis()).isEqualTo(10);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE})
    void negative_limits_are_refused(int limit) {
        Limiter.Adjustable limiter = Limiter.fixed(1);

        assertThatThrownBy(() -> limiter.limit(limit))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("limit must not be negative, was " + limit);
        assertThatThrownBy(() -> Limiter.fixed(limit))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("permits must not be negative, was " + limit);
        assertThat(limiter.limit()).isEqualTo(1);
    }

    @Test
    void no_runtime_is_refused_by_name() {
        assertThatThrownBy(() -> Limiter.fixed(1, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("runtime");
    }

    @Test
    void a_permit_says_how_it_was_settled() {
        Limiter limiter = Limiter.fixed(1);
        Permit permit = limiter.tryAcquire();
        assertThat(permit).hasToString("Permit[held]");

        permit.drop();

        assertThat(permit).hasToString("Permit[drop]");
    }

    private static List<Permit> take(Limiter limiter, int count) {
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            permits.add(limiter.tryAcquire());
        }
        assertThat(permits).doesNotContainNull();
        return permits;
    }

    private abstract static class DelegatingRuntime implements HedgeRuntime {

        private final HedgeRuntime system = HedgeRuntime.system();

        @Override
        public long nanoTime() {
            return system.nanoTime();
        }

        @Override
        public Thread start(String name, Runnable body) {
            return system.start(name, body);
        }

        @Override
        public void unpark(Thread thread) {
            system.unpark(thread);
        }

        @Override
        public void interrupt(Thread thread) {
            system.interrupt(thread);
        }

        @Override
        public long nextRandom() {
            return system.nextRandom();
        }
    }
}
