package dev.hedgescope.jdbc;

import java.lang.System.Logger.Level;
import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/** Counts what drivers refuse and what fails on the way out, and logs the first of each kind that is not expected. */
final class Incidents {

    private final String operation;
    private final AtomicLongArray counts = new AtomicLongArray(ReadIncident.values().length);
    private final Set<ReadIncident> logged = ConcurrentHashMap.newKeySet();

    Incidents(String operation) {
        this.operation = operation;
    }

    /** A step whose failure changes nothing. */
    @FunctionalInterface
    interface Step {

        void run() throws Exception;
    }

    /** Runs the step. {@return whether it did not fail} */
    boolean contain(ReadIncident kind, Step step) {
        return contain(kind, step, false);
    }

    /** The same, and does not log a failure that had to be expected. */
    boolean contain(ReadIncident kind, Step step, boolean expected) {
        try {
            step.run();
            return true;
        } catch (Exception thrown) {
            counts.incrementAndGet(kind.ordinal());
            if (!expected && logged.add(kind)) {
                log(
                        operation + ": " + words(kind)
                                + "; this is counted, changes no result, and is not logged again",
                        thrown);
            }
            return false;
        }
    }

    Map<ReadIncident, Long> counted() {
        Map<ReadIncident, Long> all = new EnumMap<>(ReadIncident.class);
        for (ReadIncident kind : ReadIncident.values()) {
            if (counts.get(kind.ordinal()) > 0) {
                all.put(kind, counts.get(kind.ordinal()));
            }
        }
        return Map.copyOf(all);
    }

    /** Looked up for each message, as elsewhere in the library: a static initialiser must not take locks. */
    static void log(String words, Throwable thrown) {
        System.getLogger("dev.hedgescope").log(Level.WARNING, words, thrown);
    }

    private static String words(ReadIncident kind) {
        return switch (kind) {
            case READ_ONLY_REFUSED -> "the driver refused to make a connection read-only";
            case TIMEOUT_REFUSED -> "the driver refused the query timeout";
            case FETCH_SIZE_REFUSED -> "the driver refused the fetch size";
            case ROLLBACK_FAILED -> "a rollback failed when a connection was given back";
            case RESTORE_FAILED -> "a connection could not be made writable again";
            case CLOSE_FAILED -> "a statement or connection could not be closed";
        };
    }
}
