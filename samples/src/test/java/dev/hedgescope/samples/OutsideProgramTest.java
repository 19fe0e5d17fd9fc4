package dev.hedgescope.samples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hedgescope.Hedger;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the documentation shows compiles and runs in a program that is not ours, with nothing but the library and what it needs
 * at run time: no annotations, no other module.
 */
class OutsideProgramTest {

    private static final Path SOURCE = Path.of("src/test/outside/Outside.java");
    private static final Path DESCRIPTOR = Path.of("src/test/outside/module-info.java");
    private static final String LIBRARY = place(Hedger.class) + File.pathSeparator + place(Histogram.class);

    @TempDir
    Path work;

    @Test
    void compiles_and_runs_on_the_class_path() throws Exception {
        Path classes = work.resolve("classes");

        run("javac", "-proc:none", "-d", classes.toString(), "-cp", LIBRARY, SOURCE.toString());
        String said = run("java", "-cp", classes + File.pathSeparator + LIBRARY, "Outside");

        assertThat(said).isEqualToIgnoringNewLines("the outside program is content");
    }

    @Test
    void compiles_and_runs_on_the_module_path() throws Exception {
        Path inPackage = Files.createDirectories(work.resolve("outside")).resolve("Outside.java");
        Files.writeString(inPackage, "package outside;\n" + Files.readString(SOURCE));
        Path module = work.resolve("module");

        run("javac", "-proc:none", "-d", module.toString(), "-p", LIBRARY, DESCRIPTOR.toString(), inPackage.toString());
        String said = run("java", "-p", module + File.pathSeparator + LIBRARY, "-m", "outside/outside.Outside");

        assertThat(said).isEqualToIgnoringNewLines("the outside program is content");
    }

    private String run(String tool, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", tool).toString());
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(work, tool, ".txt");

        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        int status = process.waitFor();

        String said = Files.readString(output);
        assertThat(status).as("%s said: %s", tool, said).isZero();
        return said;
    }

    private static String place(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .toString();
    }
}
