package dev.hedgescope.samples;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** Stops processes and lets them go on, by {@code kill}; after {@link #close()} none is stopped. */
final class Signals implements AutoCloseable {

    private final ReentrantLock lock = new ReentrantLock();
    private final Set<Long> stopped = new HashSet<>();
    private boolean closed;

    /** Stops a process, unless this is closed. */
    void stop(long pid) throws IOException {
        lock.lock();
        try {
            if (!closed && stopped.add(pid)) {
                kill("-STOP", pid);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets a process go on that was stopped here. */
    void goOn(long pid) throws IOException {
        lock.lock();
        try {
            if (stopped.remove(pid)) {
                kill("-CONT", pid);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        lock.lock();
        try {
            closed = true;
            for (long pid : stopped) {
                kill("-CONT", pid);
            }
            stopped.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Sends a signal. */
    static void kill(String signal, long pid) throws IOException {
        Process kill = new ProcessBuilder("kill", signal, Long.toString(pid))
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        boolean interrupted = false;
        while (true) {
            try {
                kill.waitFor();
                break;
            } catch (InterruptedException later) {
                interrupted = true; // a stopped process must not be forgotten halfway
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
