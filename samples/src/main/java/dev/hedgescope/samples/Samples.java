package dev.hedgescope.samples;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/** The samples' one program. */
@Command(
        name = "samples",
        mixinStandardHelpOptions = true,
        version = "hedgescope samples 0.1.0-SNAPSHOT",
        description = "Shows hedged requests at work. Without a command: demo.",
        subcommands = {Demo.class, HelpCommand.class},
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./mvnw -q -Prun                             the demo, about a minute",
            "  ./mvnw -q -Prun -Dargs=\"--quick\"            the same, shorter and rougher",
            "  ./mvnw -q -Prun -Dargs=\"demo --seed 7 --seconds 30 --rate 200\"",
            "  ./mvnw -q -Prun -Dargs=\"help demo\"          all options of the demo"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:done", "1:failed, the message says why", "2:wrong arguments"})
public final class Samples {

    private static final Set<String> OF_THE_PROGRAM = Set.of("-h", "--help", "-V", "--version");

    private Samples() {}

    /** Runs the command that the arguments name. */
    public static void main(String[] args) {
        System.exit(run(new PrintWriter(System.out, true), new PrintWriter(System.err, true), args));
    }

    static int run(PrintWriter out, PrintWriter err, String... args) {
        CommandLine line = new CommandLine(new Samples()).setOut(out).setErr(err);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            if (!isShuttingDown()) { // else whatever failed did so because a signal ends the program
                err.println("samples: " + failure);
            }
            return CommandLine.ExitCode.SOFTWARE;
        });
        return line.execute(withDefault(args));
    }

    private static boolean isShuttingDown() {
        try {
            Thread probe = new Thread(() -> {});
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (IllegalStateException shuttingDown) {
            return true;
        }
    }

    /** {@return the arguments, with {@code demo} before them if they begin with none of the commands} */
    static String[] withDefault(String... args) {
        if (args.length > 0 && (!args[0].startsWith("-") || OF_THE_PROGRAM.contains(args[0]))) {
            return args;
        }
        List<String> all = new ArrayList<>(List.of("demo"));
        all.addAll(List.of(args));
        return all.toArray(String[]::new);
    }
}
