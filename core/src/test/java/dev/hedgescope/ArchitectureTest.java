package dev.hedgescope;

import static java.util.stream.Collectors.toMap;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads the sources of the library: which package knows which, and that time and threads enter through one door. */
class ArchitectureTest {

    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final String ROOT = "dev.hedgescope";
    private static final Set<String> ADAPTERS = Set.of(ROOT + ".jdbc", ROOT + ".http", ROOT + ".micrometer");
    private static final String TESTING = ROOT + ".testing";
    private static final String TIME = ROOT + ".internal.time";

    private static final Pattern REFERENCE = Pattern.compile("\\bdev\\.hedgescope(?:\\.[a-z]+)*");
    private static final Pattern FORBIDDEN =
            Pattern.compile("\\bSystem\\s*\\.\\s*nanoTime\\b|\\bThread\\s*\\.\\s*sleep\\b"
                    + "|\\bnew\\s+Thread\\b|\\bThread\\s*\\.\\s*of[A-Z]\\w*|\\bThread\\s*\\.\\s*startVirtualThread\\b"
                    + "|\\bLockSupport\\s*\\.|\\bsynchronized\\b|\\bCompletableFuture\\b");
    private static final Pattern NO_CODE =
            Pattern.compile("\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|/\\*.*?\\*/|//[^\\n]*", Pattern.DOTALL);

    @Test
    void the_sources_are_found() {
        assertThat(packagesThatEachFileKnows()).hasSizeGreaterThan(30);
    }

    @Test
    void adapters_know_the_public_package_and_the_clock() {
        assertThat(breaches((from, to) ->
                        ADAPTERS.contains(from) && !Set.of(ROOT, TIME).contains(to)))
                .isEmpty();
    }

    @Test
    void the_simulation_knows_the_public_package_and_the_seam() {
        assertThat(breaches((from, to) ->
                        from.equals(TESTING) && !Set.of(ROOT, TIME).contains(to)))
                .isEmpty();
    }

    @Test
    void admission_latency_and_time_know_nothing_of_the_race() {
        assertThat(breaches((from, to) -> from.startsWith(ROOT + ".internal.")
                        && !from.equals(ROOT + ".internal.race")
                        && to.equals(ROOT + ".internal.race")))
                .isEmpty();
    }

    @Test
    void nothing_but_themselves_knows_adapters_and_simulation() {
        assertThat(breaches((from, to) -> ADAPTERS.contains(to) || to.equals(TESTING)))
                .isEmpty();
    }

    @Test
    void time_threads_and_waiting_enter_through_one_door() {
        Map<String, List<String>> calls = new TreeMap<>();
        sources().forEach((file, code) -> {
            String home = packageOf(file);
            List<String> found = forbidden(code);
            if (!Set.of(TIME, TESTING, ROOT + ".http").contains(home) && !found.isEmpty()) {
                calls.put(file, found);
            }
        });

        assertThat(calls).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "long now = System.nanoTime();",
                "Thread.sleep(1);",
                "Thread t = new Thread(() -> {});",
                "Thread.ofVirtual().start(() -> {});",
                "LockSupport.park();",
                "synchronized (this) {}",
                "var later = new CompletableFuture<String>();"
            })
    void each_forbidden_call_is_seen(String code) {
        assertThat(forbidden(code)).hasSize(1);
        assertThat(forbidden(withoutComments("/* " + code + " */ // " + code))).isEmpty();
    }

    private static List<String> forbidden(String code) {
        return FORBIDDEN.matcher(code).results().map(result -> result.group()).toList();
    }

    /** {@return the files that know of a package other than their own that they must not know, each with it} */
    private static List<String> breaches(BiPredicate<String, String> isBreach) {
        List<String> breaches = new ArrayList<>();
        packagesThatEachFileKnows()
                .forEach((file, known) -> known.stream()
                        .filter(to -> !to.equals(packageOf(file)) && isBreach.test(packageOf(file), to))
                        .forEach(to -> breaches.add(file + " knows " + to)));
        return breaches;
    }

    private static Map<String, Set<String>> packagesThatEachFileKnows() {
        Map<String, Set<String>> all = new TreeMap<>();
        sources().forEach((file, code) -> {
            Set<String> known = new TreeSet<>();
            REFERENCE
                    .matcher(code.replaceFirst("package [\\w.]+;", ""))
                    .results()
                    .forEach(r -> known.add(r.group()));
            all.put(file, known);
        });
        return all;
    }

    /** {@return the code of each file, without comments and strings; the module's descriptor names every package} */
    private static Map<String, String> sources() {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.endsWith("module-info.java"))
                    .collect(toMap(file -> SOURCES.relativize(file).toString(), ArchitectureTest::read));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return withoutComments(Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String withoutComments(String code) {
        return NO_CODE.matcher(code).replaceAll(" ");
    }

    private static String packageOf(String file) {
        Path folder = Path.of(file).getParent();
        return folder == null
                ? ""
                : folder.toString().replace(folder.getFileSystem().getSeparator(), ".");
    }
}
