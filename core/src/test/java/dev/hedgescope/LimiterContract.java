package dev.hedgescope;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.Limiter.Permit;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What every {@link Limiter} promises, for threads of any kind and a limit that stands still. Extend it, and say how the
 * limiter is made.
 */
public abstract class LimiterContract {

    private static final Duration LONG = Duration.ofMinutes(5);

    /** Makes a limiter of so many permits that keeps nothing back from primaries. */
    protected abstract Limiter create(int permits);

    /** The three ways to settle a permit. */
    enum Verb {
        success,
        ignore,
        drop;

        void settle(Permit permit) {
            switch (this) {
                case success -> permit.success();
                case ignore -> permit.ignore();
                case drop -> permit.drop();
            }
        }
    }

    @Test
    void as_many_permits_are_granted_as_the_limit_says() throws InterruptedException {
        Limiter limiter = create(3);

        List<Permit> permits = take(limiter, 3);

        assertThat(limiter.limit()).isEqualTo(3);
        assertThat(limiter.inUse()).isEqualTo(3);
        assertThat(limiter.tryAcquire()).isNull();
        assertThat(limiter.tryAcquireHedge()).isNull();
        assertThat(limiter.acquire(Duration.ZERO)).isNull();
        settle(permits);
        assertThat(limiter.inUse()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void each_verb_frees_the_permit(Verb verb) {
        Limiter limiter = create(1);
        for (int i = 0; i < 10; i++) {
            Permit permit = take(limiter, 1).getFirst();
            assertThat(limiter.inUse()).isEqualTo(1);

            verb.settle(permit);

            assertThat(limiter.inUse()).isZero();
        }
    }

    static Stream<List<Verb>> pairs() {
        return Stream.of(Verb.values())
                .flatMap(first -> Stream.of(Verb.values()).map(then -> List.of(first, then)));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void a_second_settlement_names_the_first_and_changes_nothing(List<Verb> pair) {
        Limiter limiter = create(2);
        List<Permit> permits = take(limiter, 2);
        Verb first = pair.getFirst();
        Verb then = pair.getLast();

        first.settle(permits.getFirst());

        assertThatThrownBy(() -> then.settle(permits.getFirst()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("permit settled twice: first as " + first + ", then as " + then);
        assertThat(limiter.inUse()).isEqualTo(1);
        assertThat(limiter.tryAcquire()).isNotNull();
        assertThat(limiter.tryAcquire()).isNull();
    }

    @ParameterizedTest
    @MethodSource("nothing")
    void a_wait_of_nothing_or_less_does_not_wait(Duration wait) throws InterruptedException {
        Limiter limiter = create(1);

        Permit permit = limiter.acquire(wait);

        assertThat(permit).isNotNull();
        assertThat(limiter.acquire(wait)).isNull();
    }

    static Stream<Duration> nothing() {
        return Stream.of(Duration.ZERO, Duration.ofNanos(-1), Duration.ofSeconds(Long.MIN_VALUE));
    }

    @ParameterizedTest
    @MethodSource("forEver")
    void a_wait_too_long_to_count_lasts_for_ever(Duration wait) throws InterruptedException {
        Limiter limiter = create(1);
        Permit held = limiter.acquire(wait);
        Racer waiter = Racer.start(() -> settle(limiter.acquire(wait))).untilParked();
        assertThat(waiter.isAlive()).isTrue();

        settle(held);

        waiter.join();
        assertThat(limiter.inUse()).isZero();
    }

    static Stream<Duration> forEver() {
        return Stream.of(
                Duration.ofSeconds(Long.MAX_VALUE),
                ChronoUnit.FOREVER.getDuration(),
                Duration.ofNanos(Long.MAX_VALUE),
                Duration.ofNanos(Long.MAX_VALUE - 1));
    }

    @Test
    void no_wait_is_refused_by_name() {
        Limiter limiter = create(1);

        assertThatThrownBy(() -> limiter.acquire(null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("wait");
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void without_permits_everybody_is_refused() throws InterruptedException {
        Limiter limiter = create(0);

        assertThat(limiter.tryAcquire()).isNull();
        assertThat(limiter.tryAcquireHedge()).isNull();
        assertThat(limiter.acquire(Duration.ofMillis(1))).isNull();
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void a_permit_that_comes_in_time_goes_to_the_one_who_waits() throws InterruptedException {
        Limiter limiter = create(1);
        Permit held = limiter.tryAcquire();
        Racer waiter = Racer.start(() -> settle(limiter.acquire(LONG))).untilParked();

        settle(held);

        waiter.join();
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void who_came_first_is_served_first() throws InterruptedException {
        Limiter limiter = create(1);
        Permit held = limiter.tryAcquire();
        List<Integer> served = Collections.synchronizedList(new ArrayList<>());
        Racer[] waiters = new Racer[5];
        for (int i = 0; i < waiters.length; i++) {
            int number = i;
            waiters[i] = Racer.start(() -> {
                        Permit permit = limiter.acquire(LONG);
                        served.add(number);
                        settle(permit);
                    })
                    .untilParked();
        }

        settle(held);

        Racer.joinAll(waiters);
        assertThat(served).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    void who_gives_up_leaves_the_permit_to_others() throws InterruptedException {
        Limiter limiter = create(1);
        Permit held = limiter.tryAcquire();
        Racer patient = Racer.start(() -> settle(limiter.acquire(LONG))).untilParked();

        assertThat(limiter.acquire(Duration.ofMillis(1))).isNull();
        settle(held);

        patient.join();
        assertThat(limiter.inUse()).isZero();
        assertThat(limiter.tryAcquire()).isNotNull();
    }

    @Test
    void an_interrupt_before_the_wait_is_thrown_even_if_a_permit_is_free() {
        Limiter limiter = create(1);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> limiter.acquire(LONG)).isInstanceOf(InterruptedException.class);

        assertThat(Thread.interrupted()).isFalse();
        assertThat(limiter.inUse()).isZero();
    }

    @Test
    void an_interrupted_waiter_holds_nothing() throws InterruptedException {
        Limiter limiter = create(1);
        Permit held = limiter.tryAcquire();
        Racer waiter = Racer.start(() -> {
                    assertThatThrownBy(() -> limiter.acquire(LONG)).isInstanceOf(InterruptedException.class);
                    assertThat(Thread.interrupted()).isFalse();
                })
                .untilParked();

        waiter.interrupt();

        waiter.join();
        assertThat(limiter.inUse()).isEqualTo(1);
        settle(held);
        assertThat(limiter.inUse()).isZero();
        assertThat(limiter.tryAcquire()).isNotNull();
    }

    @Test
    void the_flag_does_not_keep_out_who_does_not_wait() {
        Limiter limiter = create(1);
        Thread.currentThread().interrupt();

        Permit permit = limiter.tryAcquire();

        assertThat(permit).isNotNull();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void any_thread_may_settle() throws InterruptedException {
        Limiter limiter = create(1);
        Permit permit = limiter.tryAcquire();

        Racer.start(() -> settle(permit)).join();

        assertThat(limiter.inUse()).isZero();
    }

    /** The waiters of the last round wait for ever: a permit that is free while they do would leave them there. */
    @Test
    void when_nobody_is_inside_a_free_permit_means_that_nobody_waits() throws InterruptedException {
        Limiter limiter = create(2);
        AtomicInteger inside = new AtomicInteger();
        Racer[] racers = Racer.start(6, () -> {
            ThreadLocalRandom random = ThreadLocalRandom.current();
            for (int i = 0; i < 2_000; i++) {
                Permit permit = switch (random.nextInt(4)) {
                    case 0 -> limiter.tryAcquire();
                    case 1 -> limiter.acquire(Duration.ofNanos(random.nextInt(50_000)));
                    default -> limiter.acquire(LONG);
                };
                if (permit != null) {
                    assertThat(inside.incrementAndGet()).isLessThanOrEqualTo(2);
                    inside.decrementAndGet();
                    Verb.values()[random.nextInt(3)].settle(permit);
                }
            }
        });

        Racer.joinAll(racers);

        assertThat(limiter.inUse()).isZero();
        assertThat(take(limiter, 2)).hasSize(2);
        assertThat(limiter.tryAcquire()).isNull();
    }

    private static List<Permit> take(Limiter limiter, int count) {
        List<Permit> permits = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Permit permit = limiter.tryAcquire();
            assertThat(permit).as("permit %d of %d", i + 1, count).isNotNull();
            permits.add(permit);
        }
        return permits;
    }

    private static void settle(List<Permit> permits) {
        permits.forEach(Permit::success);
    }

    private static void settle(@Nullable Permit permit) {
        assertThat(permit).isNotNull();
        permit.success();
    }
}
