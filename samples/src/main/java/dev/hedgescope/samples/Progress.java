package dev.hedgescope.samples;

import java.io.Console;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Tells how far the program is: a bar that is drawn over and over on a terminal, a line now and then elsewhere. */
final class Progress implements AutoCloseable {

    private static final int WIDTH = 30;
    private static final Duration EVERY_ON_TERMINAL = Duration.ofMillis(200);
    private static final Duration EVERY_ELSEWHERE = Duration.ofSeconds(5);

    private final PrintStream out;
    private final boolean terminal;
    private @Nullable Thread ticker;

    Progress(PrintStream out) {
        this(out, isTerminal(System.console()));
    }

    Progress(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    // Since Java 22 there may be a console that is no terminal, and a method that tells; on 21 there is none, then.
    private static boolean isTerminal(@Nullable Console console) {
        if (console == null) {
            return false;
        }
        try {
            return (Boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (ReflectiveOperationException java21) {
            return true;
        }
    }

    /** Ends what was going on, and begins what will probably take so long. */
    void begin(String what, Duration expected) {
        end();
        long start = System.nanoTime();
        if (!terminal) {
            out.println(what);
        }
        ticker = Thread.ofPlatform().daemon().name("progress").start(() -> tick(what, expected, start));
    }

    /** Ends what was going on. */
    void end() {
        Thread running = ticker;
        if (running == null) {
            return;
        }
        running.interrupt();
        try {
            running.join();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
        }
        ticker = null;
        if (terminal) {
            out.print("\r" + " ".repeat(79) + "\r");
            out.flush();
        }
    }

    private void tick(String what, Duration expected, long start) {
        try {
            while (true) {
                if (terminal) {
                    out.print("\r" + bar(what, Duration.ofNanos(System.nanoTime() - start), expected));
                    out.flush();
                }
                Thread.sleep(terminal ? EVERY_ON_TERMINAL : EVERY_ELSEWHERE);
                if (!terminal) {
                    out.println(words(what, Duration.ofNanos(System.nanoTime() - start), expected));
                }
            }
        } catch (InterruptedException ended) {
            // by end()
        }
    }

    static String words(String what, Duration passed, Duration expected) {
        return "%s, %d of about %d s".formatted(what, passed.toSeconds(), expected.toSeconds());
    }

    static String bar(String what, Duration passed, Duration expected) {
        double share = Math.min(1, (double) passed.toMillis() / Math.max(1, expected.toMillis()));
        int full = (int) (share * WIDTH);
        return String.format(
                Locale.ROOT, "[%s%s] %3d %% %s", "#".repeat(full), ".".repeat(WIDTH - full), (int) (100 * share), what);
    }

    @Override
    public void close() {
        end();
    }
}
