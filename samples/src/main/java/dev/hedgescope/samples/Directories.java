package dev.hedgescope.samples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What {@code java.nio.file} lacks. */
final class Directories {

    private static final int TRIES = 20;

    private Directories() {}

    /** Deletes a directory with all that is in it, trying again while somebody still writes to it. */
    static void delete(Path directory) throws IOException, InterruptedException {
        for (int tries = 1; Files.exists(directory); tries++) {
            try {
                deleteOnce(directory);
            } catch (IOException | UncheckedIOException failure) {
                if (tries == TRIES) {
                    throw new IOException("not deleted: " + failure.getMessage(), failure);
                }
                Thread.sleep(100);
            }
        }
    }

    private static void deleteOnce(Path directory) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> walk = Files.walk(directory)) {
            deepestFirst = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
