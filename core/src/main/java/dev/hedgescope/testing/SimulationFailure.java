package dev.hedgescope.testing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Says why a simulation failed and how to see it again: an exception of the body or of one of its threads (then it is
 * the cause), a deadlock, a livelock, or a thread that blocks outside the simulation. The message ends with the
 * transcript.
 */
public final class SimulationFailure extends AssertionError {

    private static final long serialVersionUID = 1L;

    private static final int LINES = 100;

    private final long seed;

    SimulationFailure(long seed, String what, List<String> transcript, @Nullable Throwable cause) {
        super(message(seed, what, transcript), cause);
        this.seed = seed;
    }

    /** {@return the seed under which it failed} */
    public long seed() {
        return seed;
    }

    private static String message(long seed, String what, List<String> transcript) {
        StringBuilder message = new StringBuilder(what)
                .append("\nseed ")
                .append(seed)
                .append("; replay with -D")
                .append(SimulationOptions.SEED_PROPERTY)
                .append('=')
                .append(seed);
        int left = Math.max(0, transcript.size() - LINES);
        if (left > 0) {
            message.append("\n  (").append(left).append(" earlier lines left out)");
        }
        transcript
                .subList(left, transcript.size())
                .forEach(line -> message.append("\n  ").append(line));
        return message.toString();
    }
}
