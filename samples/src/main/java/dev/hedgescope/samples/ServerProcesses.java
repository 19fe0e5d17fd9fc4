package dev.hedgescope.samples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The processes of the servers below a directory. The servers are nobody's children, since {@code pg_ctl} makes daemons of
 * them: each has written its number into its data directory.
 */
record ServerProcesses(Path home) {

    /** {@return the servers that run, each with its children} */
    List<ProcessHandle> servers() {
        List<ProcessHandle> all = new ArrayList<>();
        try (Stream<Path> directories = Files.list(home)) {
            directories.map(ServerProcesses::server).flatMap(Optional::stream).forEach(server -> {
                all.add(server);
                server.descendants().forEach(all::add);
            });
        } catch (IOException gone) {
            // no directory, no servers
        }
        return all;
    }

    private static Optional<ProcessHandle> server(Path directory) {
        try (Stream<String> lines = Files.lines(directory.resolve("postmaster.pid"))) {
            return lines.findFirst().flatMap(pid -> ProcessHandle.of(Long.parseLong(pid.strip())));
        } catch (IOException | NumberFormatException notRunning) {
            return Optional.empty();
        }
    }

    /** {@return these, and what this program has started to initialise, start or stop them} */
    List<ProcessHandle> all() {
        List<ProcessHandle> all = servers();
        ProcessHandle.current().descendants().forEach(all::add);
        return all;
    }

    /** Waits for processes to leave, and ends those that do not. */
    static void end(List<ProcessHandle> processes, Duration patience) throws IOException, InterruptedException {
        awaitExit(processes, patience);
        for (ProcessHandle process : processes) {
            if (isRunning(process)) {
                Signals.kill("-QUIT", process.pid()); // at once, yet a server still frees its shared memory
            }
        }
        awaitExit(processes, Duration.ofSeconds(2));
        processes.forEach(ProcessHandle::destroyForcibly);
    }

    /** {@return whether a process runs} A daemon that has ended stays in the system's table until its foster parent looks. */
    static boolean isRunning(ProcessHandle process) {
        ProcessHandle.Info info = process.info();
        return process.isAlive()
                && (info.command().isPresent() || info.commandLine().isPresent());
    }

    private static void awaitExit(List<ProcessHandle> processes, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (processes.stream().anyMatch(ServerProcesses::isRunning) && System.nanoTime() - end < 0) {
            Thread.sleep(10);
        }
    }
}
