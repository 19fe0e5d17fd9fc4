package dev.hedgescope;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that was told to stop and has not left its task yet.
 *
 * @param operation the hedger's name
 * @param call the call's number
 * @param attempt the attempt's number within the call
 * @param replica the name of the replica it runs on, or null if the call has none
 * @param sinceCancelled how long ago it was cancelled
 * @param stack where its thread is now, innermost frame first; empty if it left meanwhile
 */
public record Straggler(
        String operation,
        long call,
        int attempt,
        @Nullable String replica,
        Duration sinceCancelled,
        List<StackTraceElement> stack) {

    /** Makes the record, with a copy of the stack. */
    public Straggler {
        stack = List.copyOf(stack);
    }
}
