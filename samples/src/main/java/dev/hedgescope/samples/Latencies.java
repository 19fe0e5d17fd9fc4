package dev.hedgescope.samples;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Latencies, each kept, so that a percentile is one that occurred and not the edge of a bucket. */
final class Latencies {

    private final ConcurrentLinkedQueue<Long> nanos = new ConcurrentLinkedQueue<>();

    void add(long latencyNanos) {
        nanos.add(latencyNanos);
    }

    /** {@return the share that took longer, from 0 to 1} */
    double shareAbove(Duration limit) {
        long above = nanos.stream().filter(latency -> latency > limit.toNanos()).count();
        return nanos.isEmpty() ? 0 : (double) above / nanos.size();
    }

    /** {@return the smallest latency that at least so many per cent of all do not exceed; zero if there is none} */
    Duration percentile(double percent) {
        long[] sorted = nanos.stream().mapToLong(Long::longValue).toArray();
        if (sorted.length == 0) {
            return Duration.ZERO;
        }
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(percent / 100 * sorted.length);
        return Duration.ofNanos(sorted[Math.max(rank, 1) - 1]);
    }
}
