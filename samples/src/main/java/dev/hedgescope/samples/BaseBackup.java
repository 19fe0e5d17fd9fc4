package dev.hedgescope.samples;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Makes standbys out of a running primary's files, between the start and the stop of a backup: pg_basebackup by hand. */
record BaseBackup(Path primary, int primaryPort) {

    private static final Set<String> NOT_FILES = Set.of("postmaster.pid", "postmaster.opts", "epg-lock");
    private static final Set<Path> NOT_CONTENTS = Set.of(Path.of("pg_wal"), Path.of("pg_replslot"));

    /** Copies the data directory. */
    void copyTo(Path target) throws IOException {
        List<Path> sources;
        try (Stream<Path> walk = Files.walk(primary)) {
            sources = walk.toList();
        }
        for (Path source : sources) {
            Path name = primary.relativize(source);
            if (NOT_FILES.contains(name.toString())) {
                continue;
            }
            try {
                if (Files.isDirectory(source)) {
                    Files.createDirectories(target.resolve(name));
                } else if (name.getParent() == null || !NOT_CONTENTS.contains(name.getParent())) {
                    Files.copy(source, target.resolve(name), StandardCopyOption.REPLACE_EXISTING);
                }
            } catch (NoSuchFileException vanished) {
                // the primary is at work; what matters is in its log
            }
        }
        // the server refuses a directory that others may read
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwx------"));
    }

    /** Turns a copy into a standby that streams from the primary once it is started. */
    void makeStandby(Path copy, String label, String name) throws IOException {
        Files.writeString(copy.resolve("backup_label"), label);
        Files.createFile(copy.resolve("standby.signal"));
        Files.writeString(
                copy.resolve("postgresql.auto.conf"),
                "primary_conninfo = 'host=127.0.0.1 port=%d user=postgres application_name=%s'%n"
                        .formatted(primaryPort, name),
                StandardOpenOption.APPEND);
    }
}
