package dev.hedgescope.samples;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Load that does not wait for answers: requests arrive when the schedule says so, like those of many independent users.
 * A loop that sends the next request after the last answer would measure a stall once, and spare all who would have
 * met it.
 */
final class OpenLoop {

    /**
     * A request.
     *
     * @param atNanos when it arrives, since the beginning
     * @param id what it asks for, from 1
     */
    record Arrival(long atNanos, long id) {}

    /** What a request does. */
    @FunctionalInterface
    interface Request {

        /**
         * Serves one request, on a thread of its own.
         *
         * @param id what it asks for
         * @param intendedStart when it should have started, as a {@code System.nanoTime()}; latency counts from here
         */
        void serve(long id, long intendedStart);
    }

    private OpenLoop() {}

    /** {@return the arrivals of a Poisson process, the same for the same numbers} */
    static List<Arrival> schedule(long seed, double perSecond, Duration length, int ids) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Arrival> arrivals = new ArrayList<>();
        double at = 0;
        while (true) {
            at += -Math.log(1 - random.nextDouble()) / perSecond * 1e9;
            if (at >= length.toNanos()) {
                return arrivals;
            }
            arrivals.add(new Arrival((long) at, 1 + random.nextLong(ids)));
        }
    }

    /**
     * Starts each request when it arrives, late if need be, and waits until all have ended.
     *
     * @return how late the requests started: how busy the machine was
     */
    static Latencies run(List<Arrival> schedule, Request request) {
        Latencies late = new Latencies();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            long begin = System.nanoTime();
            for (Arrival arrival : schedule) {
                long intended = begin + arrival.atNanos();
                for (long wait = intended - System.nanoTime(); wait > 0; wait = intended - System.nanoTime()) {
                    LockSupport.parkNanos(wait);
                }
                late.add(System.nanoTime() - intended);
                threads.execute(() -> request.serve(arrival.id(), intended));
            }
        }
        return late;
    }
}
