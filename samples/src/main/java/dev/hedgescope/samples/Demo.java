package dev.hedgescope.samples;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The same load, without and with hedging, on a real PostgreSQL with two standbys and on real HTTP services. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "Runs the same load without and with hedging, and prints what it did to the tail:",
            "queries to two hot standbys of a real PostgreSQL, and pages made of the answers of five HTTP services,"
                    + " each on two origins. One replica at a time is slow for some.",
            "Takes about a minute; everything it starts or writes is gone afterwards."
        })
final class Demo implements Callable<Integer> {

    private static final int MOST_SECONDS = 600;
    private static final int MOST_RATE = 1_000;
    private static final int QUICK_SECONDS = 6;

    @Spec
    private CommandSpec spec;

    @Option(names = "--seed", paramLabel = "N", description = "Fixes load and troubles; ${DEFAULT-VALUE} if not given.")
    private long seed = 1;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long each of the two runs is measured, 2 to 600; ${DEFAULT-VALUE} if not given.")
    private int seconds = 15;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Queries per second, 20 to 1000, and a quarter as many pages; ${DEFAULT-VALUE} if not given.")
    private int rate = 120;

    @Option(names = "--quick", description = "Measures 6 seconds, warms up for 3; the figures are rougher.")
    private boolean quick;

    @Override
    public Integer call() throws Exception {
        check("--seconds", seconds, 2, MOST_SECONDS);
        check("--rate", rate, 20, MOST_RATE);
        Arm.Load load = new Arm.Load(
                seed,
                rate,
                rate / 4.0,
                Duration.ofSeconds(quick ? 3 : 5),
                Duration.ofSeconds(quick ? QUICK_SECONDS : seconds));

        PrintStream out = System.out;
        try (Progress progress = new Progress(out)) {
            progress.begin("starting PostgreSQL, a primary and two standbys", Duration.ofSeconds(8));
            try (PostgresCluster cluster = PostgresCluster.start();
                    PageServices services = PageServices.start()) {
                Arm.Result unhedged = Arm.unhedged(cluster, services).run("unhedged", load, progress);
                Arm.Result hedged = Arm.hedged(cluster, services, unhedged).run("hedged", load, progress);
                out.printf("%n%s", new Report(unhedged, hedged));
            }
        }
        return 0;
    }

    private void check(String option, int value, int least, int most) {
        if (value < least || value > most) {
            throw new ParameterException(
                    spec.commandLine(), "%s must be %d to %d, was %d".formatted(option, least, most, value));
        }
    }
}
