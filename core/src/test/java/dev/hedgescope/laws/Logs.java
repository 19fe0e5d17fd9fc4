package dev.hedgescope.laws;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * What the library logs while this is open, kept from standard error. A test that asks for the records expects them; if
 * none asks, {@link LawsExtension} fails the test that caused one.
 */
public final class Logs implements AutoCloseable {

    /** Held, since the log manager would let go of a logger that nobody else knows, and of its handler with it. */
    private static final Logger LOGGER = Logger.getLogger("dev.hedgescope");

    private final Queue<LogRecord> records = new ConcurrentLinkedQueue<>();
    private final Handler handler = new Keeper();
    private final boolean usedParents;
    private volatile boolean expected;

    /** Starts to capture. */
    public Logs() {
        usedParents = LOGGER.getUseParentHandlers();
        LOGGER.setUseParentHandlers(false);
        LOGGER.addHandler(handler);
    }

    /** {@return what was logged so far, in order; from now on logging is expected} */
    public List<LogRecord> records() {
        expected = true;
        return List.copyOf(records);
    }

    /** {@return the messages logged so far, in order; from now on logging is expected} */
    public List<String> messages() {
        return records().stream().map(LogRecord::getMessage).toList();
    }

    /** Says that the test causes logging that it does not look at. */
    public void expect() {
        expected = true;
    }

    List<LogRecord> unexpected() {
        return expected ? List.of() : List.copyOf(records);
    }

    @Override
    public void close() {
        LOGGER.removeHandler(handler);
        LOGGER.setUseParentHandlers(usedParents);
    }

    private final class Keeper extends Handler {

        @Override
        public void publish(LogRecord record) {
            records.add(record);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
