package dev.hedgescope.internal.race;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Puts the failures of a call together: one comes out, the others are suppressed exceptions of it. */
final class Failures {

    /** A task may throw the same object again and again: it must not grow with every call. */
    private static final int MOST_SUPPRESSED = 16;

    private Failures() {}

    /**
     * {@return the first throwable, with the other attempts' failures suppressed, in attempt order, never itself, never
     * one twice}
     */
    static <E extends Throwable> E suppressing(E first, @Nullable AttemptRun newest) {
        Set<Throwable> known = Collections.newSetFromMap(new IdentityHashMap<>());
        known.add(first);
        for (Throwable cause = first.getCause(); cause != null && known.add(cause); ) {
            cause = cause.getCause();
        }
        Collections.addAll(known, first.getSuppressed());
        add(first, newest, known);
        return first;
    }

    private static void add(Throwable first, @Nullable AttemptRun attempt, Set<Throwable> known) {
        if (attempt == null) {
            return;
        }
        add(first, attempt.older(), known);
        AttemptRun.Failure failure = attempt.failure();
        if (failure != null && known.add(failure.thrown()) && first.getSuppressed().length < MOST_SUPPRESSED) {
            first.addSuppressed(failure.thrown());
        }
    }
}
