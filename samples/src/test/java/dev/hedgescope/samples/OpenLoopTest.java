package dev.hedgescope.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class OpenLoopTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void the_same_seed_gives_the_same_arrivals() {
        List<OpenLoop.Arrival> once = OpenLoop.schedule(7, 150, MINUTE, 1_000);
        List<OpenLoop.Arrival> again = OpenLoop.schedule(7, 150, MINUTE, 1_000);
        List<OpenLoop.Arrival> other = OpenLoop.schedule(8, 150, MINUTE, 1_000);

        assertThat(again).isEqualTo(once);
        assertThat(other).isNotEqualTo(once);
    }

    @Test
    void arrivals_keep_the_rate_the_order_and_the_range() {
        List<OpenLoop.Arrival> arrivals = OpenLoop.schedule(7, 150, MINUTE, 1_000);

        assertThat(arrivals).hasSizeBetween(8_600, 9_400);
        assertThat(arrivals).isSortedAccordingTo(Comparator.comparingLong(OpenLoop.Arrival::atNanos));
        assertThat(arrivals).allMatch(arrival -> arrival.id() >= 1 && arrival.id() <= 1_000);
        assertThat(arrivals).allMatch(arrival -> arrival.atNanos() < MINUTE.toNanos());
    }

    @Test
    void a_request_does_not_wait_for_the_answer_to_another() {
        List<OpenLoop.Arrival> both = List.of(new OpenLoop.Arrival(0, 1), new OpenLoop.Arrival(1_000, 2));
        CountDownLatch second = new CountDownLatch(1);
        Queue<Long> ended = new ConcurrentLinkedQueue<>();

        OpenLoop.run(both, (id, start) -> {
            if (id == 1) {
                uninterruptibly(second);
            }
            ended.add(id);
            second.countDown();
        });

        assertThat(ended).containsExactly(2L, 1L);
    }

    @Test
    void latency_counts_from_the_arrival_and_not_from_the_late_start() {
        List<OpenLoop.Arrival> both = List.of(new OpenLoop.Arrival(1_000, 1), new OpenLoop.Arrival(51_000, 2));
        Queue<Long> starts = new ConcurrentLinkedQueue<>();

        OpenLoop.run(both, (id, start) -> starts.add(start));

        assertThat(starts.stream().sorted().reduce(0L, (sum, start) -> start - sum))
                .isEqualTo(50_000);
    }

    @Test
    void the_same_seed_gives_the_same_troubles_and_never_two_at_once() {
        Trouble.Millis pauses = new Trouble.Millis(60, 200);
        Trouble.Millis lengths = new Trouble.Millis(400, 900);
        List<Trouble> troubles = Trouble.schedule(7, MINUTE, pauses, lengths, 16, 2);

        assertThat(Trouble.schedule(7, MINUTE, pauses, lengths, 16, 2)).isEqualTo(troubles);
        for (int next = 1; next < troubles.size(); next++) {
            Trouble before = troubles.get(next - 1);
            assertThat(troubles.get(next).at()).isGreaterThan(before.at().plus(before.length()));
        }
        assertThat(troubles).extracting(Trouble::replica).contains(0, 1);
    }

    private static void uninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException failure) {
            throw new AssertionError(failure);
        }
    }
}
