package dev.hedgescope.stress;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs jcstress for the build: silent when all is well, the end of jcstress' output and exit status 1 otherwise.
 *
 * <p>jcstress alone does not do: it is chatty, and it exits with 0 when it has found no test. Tests whose class name contains
 * {@code Broken} are planted faults. {@code correct} leaves them out; {@code broken} runs only them, and demands that each be
 * caught.
 *
 * <p>Arguments: {@code correct} or {@code broken}, a directory for everything that is written, options of jcstress.
 */
public final class StressRun {

    private static final int LINES_SHOWN = 120;
    private static final Pattern RESULTS = Pattern.compile(
            "\\(Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs?, (\\d+) hard errs?\\)");
    /** A line of the list of tests: the length of the first name, then the name and much else. */
    private static final Pattern TEST = Pattern.compile("JCTEST(\\d+)S(.*)");

    private static final String FAILED_TESTS = "  Failed tests:";
    private static final String ERROR_TESTS = "  Error tests:";

    private StressRun() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        boolean broken = args[0].equals("broken");
        Path directory = Files.createDirectories(Path.of(args[1]));
        List<String> options = List.of(args).subList(2, args.length);

        List<String> planted = plantedFaults();
        if (broken && planted.isEmpty()) {
            return;
        }
        Path output = directory.resolve("output.txt");
        int status = run(broken ? "Broken" : "^(?!.*Broken)", options, directory, output);

        List<String> lines = Files.readAllLines(output, StandardCharsets.UTF_8);
        String complaint = broken ? missedFaults(planted, lines) : failure(status, lines);
        if (!complaint.isEmpty()) {
            int from = Math.max(indexOfPrefix(lines, "RUN RESULTS:"), lines.size() - LINES_SHOWN);
            lines.subList(Math.max(0, from), lines.size()).forEach(System.out::println);
            System.out.println("jcstress: " + complaint + "; all of its output is in " + output);
            System.exit(1);
        }
    }

    /** Starts jcstress in a JVM like this one, in the given directory, where it leaves its result files. */
    private static int run(String tests, List<String> options, Path directory, Path output)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "org.openjdk.jcstress.Main"));
        command.addAll(List.of("-t", tests, "-r", directory.resolve("report").toString()));
        command.addAll(options);
        return new ProcessBuilder(command)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
    }

    /** {@return what went wrong, or an empty string} */
    private static String failure(int status, List<String> lines) {
        Matcher last = null;
        for (String line : lines) {
            Matcher matcher = RESULTS.matcher(line);
            if (matcher.matches()) {
                last = matcher;
            }
        }
        if (last == null || last.group(1).equals("0")) {
            return "no test was run, exit status " + status;
        }
        boolean allPassed = last.group(1).equals(last.group(2));
        return status == 0 && allPassed ? "" : "exit status " + status + " after " + last.group();
    }

    /** {@return which planted faults were not caught, or an empty string} */
    private static String missedFaults(List<String> planted, List<String> lines) {
        int from = indexOfPrefix(lines, FAILED_TESTS);
        int to = indexOfPrefix(lines, ERROR_TESTS);
        String failed = from < 0 || to < from ? "" : String.join("\n", lines.subList(from, to));
        List<String> missed =
                planted.stream().filter(test -> !failed.contains(test)).toList();
        return missed.isEmpty() ? "" : "planted faults not caught: " + String.join(", ", missed);
    }

    private static int indexOfPrefix(List<String> lines, String prefix) {
        for (int i = lines.size() - 1; i >= 0; i--) {
            if (lines.get(i).startsWith(prefix)) {
                return i;
            }
        }
        return -1;
    }

    /** {@return the class names of the planted faults, from the list that jcstress' annotation processor writes} */
    private static List<String> plantedFaults() throws IOException {
        try (InputStream in = StressRun.class.getResourceAsStream("/META-INF/TestList")) {
            if (in == null) {
                return List.of();
            }
            try (BufferedReader list = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                return list.lines()
                        .map(TEST::matcher)
                        .filter(Matcher::lookingAt)
                        .map(StressRun::name)
                        .filter(name -> name.contains("Broken"))
                        .toList();
            }
        }
    }

    private static String name(MatchResult start) {
        return start.group(2).substring(0, Integer.parseInt(start.group(1)));
    }
}
