package dev.hedgescope.laws;

import dev.hedgescope.HedgeRuntime;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Checks the laws after each test: what was registered with the {@link Ledger} is quiet and conserved, no thread of
 * ours is alive, nothing was written to standard output or error, and nothing was logged that the test did not ask for.
 *
 * {@snippet :
 * @ExtendWith(LawsExtension.class)
 * class SomeTest {
 *     @Test
 *     void a_phrase(Ledger ledger, Logs logs) { ... }
 * }
 * }
 *
 * <p>The ledger's threads and time are real ones. A simulation has a ledger of its own, see {@link Laws#run}; the rest
 * is checked there, too. Tests of one process run one after the other.
 */
public final class LawsExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(LawsExtension.class);

    /** What is open while a test runs. */
    private static final class Watch {
        private final Ledger ledger = new Ledger(HedgeRuntime.system());
        private final Logs logs = new Logs();
        private final PrintStream out = System.out;
        private final PrintStream err = System.err;
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();

        Watch() {
            PrintStream both = new PrintStream(written, true, StandardCharsets.UTF_8);
            System.setOut(both);
            System.setErr(both);
        }

        void close() {
            System.setOut(out);
            System.setErr(err);
            logs.close();
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        // The console handler keeps the standard error of the moment when it is made: let that be the real one.
        Logger.getLogger("").getHandlers();
        watch(context);
    }

    private static Watch watch(ExtensionContext context) {
        return context.getStore(NAMESPACE).computeIfAbsent(Watch.class, type -> new Watch(), Watch.class);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        Watch watch = watch(context);
        try {
            if (context.getExecutionException().isEmpty()) {
                watch.ledger.settle();
                watch.ledger.awaitThreads();
            }
        } finally {
            watch.close();
        }
        if (context.getExecutionException().isEmpty()) {
            checkQuiet(watch);
        }
    }

    private static void checkQuiet(Watch watch) {
        String written = watch.written.toString(StandardCharsets.UTF_8);
        if (!written.isEmpty()) {
            throw new AssertionError("written to standard output or error:\n" + written);
        }
        for (LogRecord record : watch.logs.unexpected()) {
            throw new AssertionError("logged: " + record.getMessage(), record.getThrown());
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Ledger.class || type == Logs.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Watch watch = watch(context);
        return parameter.getParameter().getType() == Ledger.class ? watch.ledger : watch.logs;
    }
}
