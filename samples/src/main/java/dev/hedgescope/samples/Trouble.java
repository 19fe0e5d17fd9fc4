package dev.hedgescope.samples;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * A bad moment of one replica.
 *
 * @param at when it begins, since the beginning of the load
 * @param length how long it lasts
 * @param what which lock, or which service
 * @param replica which of its replicas
 */
record Trouble(Duration at, Duration length, int what, int replica) {

    /** A range of milliseconds. */
    record Millis(int least, int most) {

        private int pick(SplittableRandom random) {
            return random.nextInt(least, most + 1);
        }
    }

    /** {@return troubles one after another, never two at once, the same for the same numbers} */
    static List<Trouble> schedule(long seed, Duration load, Millis pauses, Millis lengths, int whats, int replicas) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Trouble> troubles = new ArrayList<>();
        long at = pauses.pick(random);
        while (true) {
            int length = lengths.pick(random);
            if (at + length > load.toMillis()) {
                return troubles;
            }
            troubles.add(new Trouble(
                    Duration.ofMillis(at), Duration.ofMillis(length), random.nextInt(whats), random.nextInt(replicas)));
            at += length + pauses.pick(random);
        }
    }
}
