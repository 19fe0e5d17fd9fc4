package dev.hedgescope.laws;

import dev.hedgescope.HedgeStats;
import dev.hedgescope.Hedger;
import dev.hedgescope.Outcome;
import dev.hedgescope.testing.Simulation;
import dev.hedgescope.testing.SimulationOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The laws as checks, for use inside a simulation and elsewhere. */
public final class Laws {

    private static final double MILLIONTH = 1e-6;

    private Laws() {}

    /** A body of a simulation with a ledger, which is settled when it returns. */
    @FunctionalInterface
    public interface Body {

        /** Runs as the thread {@code main} of the simulation. */
        void run(Simulation sim, Ledger ledger) throws Exception;
    }

    /** Runs the body under one seed, and checks the laws at its end and when the last thread has ended. */
    public static Simulation.Result run(SimulationOptions options, long seed, Body body) {
        Ledger[] made = new Ledger[1];
        Simulation.Result result = options.run(seed, sim -> {
            Ledger ledger = new Ledger(sim.runtime());
            made[0] = ledger;
            body.run(sim, ledger);
            ledger.settle();
        });
        try {
            made[0].verify();
        } catch (AssertionError broken) {
            throw new AssertionError("seed %d, after the end: %s\n  %s"
                    .formatted(result.seed(), broken.getMessage(), String.join("\n  ", result.transcript())));
        }
        return result;
    }

    /** Runs the body under each of so many consecutive seeds; under one alone if {@code -Dhedgescope.seed} names it. */
    public static void runAll(SimulationOptions options, long firstSeed, int seeds, Body body) {
        int runs = Long.getLong("hedgescope.seed") == null ? seeds : 1;
        for (int i = 0; i < runs; i++) {
            run(options, firstSeed + i, body);
        }
    }

    /** Waits until the hedger is quiet, and checks that nothing of it is left and that its numbers add up. */
    public static void check(Hedger hedger) {
        if (!hedger.awaitQuiet(Duration.ofMinutes(10))) {
            throw new AssertionError(hedger.name() + " is not quiet: " + hedger.stragglers());
        }
        check(hedger.stats());
    }

    /** Checks the numbers of a hedger at rest: L10, and that no permit is held. */
    public static void check(HedgeStats stats) {
        List<String> broken = broken(stats);
        if (!broken.isEmpty()) {
            throw new AssertionError("laws broken:\n  " + String.join("\n  ", broken) + "\n  " + stats);
        }
    }

    /**
     * Checks the purse of a hedger at rest that alone used it: it holds what it began with and what its calls put in,
     * less one token for each hedge that started; less still if it was full at times, and never more than fits in.
     */
    public static void checkPurse(HedgeStats stats, double initial, double ratio, double burst) {
        double computed = Math.min(initial, burst) + ratio * stats.won() - stats.hedges();
        boolean neverFull = initial + ratio * stats.won() <= burst;
        double balance = stats.budgetBalance();
        double tolerance = MILLIONTH * (stats.calls() + 1);
        if (balance > Math.min(burst, computed) + tolerance || (neverFull && balance < computed - tolerance)) {
            throw new AssertionError("L5: the purse holds %s, computed are %s; %s".formatted(balance, computed, stats));
        }
    }

    /** {@return a sentence for each sum that does not add up in the numbers of a hedger at rest} */
    static List<String> broken(HedgeStats stats) {
        List<String> broken = new ArrayList<>();
        String name = stats.operation();
        long ends = stats.won() + stats.failed() + stats.timedOut() + stats.abandoned() + stats.refused();
        expect(broken, name + ": calls = won + failed + timedOut + abandoned + refused", stats.calls(), ends);
        long starts = sum(stats.startsByNumber());
        expect(broken, name + ": attempts = starts by number", stats.attempts(), starts);
        expect(
                broken,
                name + ": hedges = attempts - primaries",
                stats.hedges(),
                starts - stats.startsByNumber().getFirst());
        expect(broken, name + ": won = wins by number", stats.won(), sum(stats.winsByNumber()));
        expect(broken, name + ": won = attempts that won", stats.won(), of(stats, Outcome.WON));
        long left = of(stats, Outcome.WON)
                + of(stats, Outcome.LATE)
                + of(stats, Outcome.FAILED)
                + of(stats, Outcome.CANCELLED);
        expect(broken, name + ": attempts started = attempts ended", stats.attempts(), left);
        if (stats.hedgesNeverStarted() > of(stats, Outcome.NEVER_STARTED)) {
            broken.add("L10: " + name + ": more hedges than attempts never started");
        }
        expect(broken, name + ": attempts running", 0, stats.running());
        expect(broken, name + ": stragglers", 0, stats.stragglers());
        expect(broken, name + ": permits in use", 0, stats.permitsInUse());
        return broken;
    }

    private static long of(HedgeStats stats, Outcome outcome) {
        return stats.outcomes().getOrDefault(outcome, 0L);
    }

    private static long sum(List<Long> counts) {
        return counts.stream().mapToLong(Long::longValue).sum();
    }

    private static void expect(List<String> broken, String what, long expected, long found) {
        if (expected != found) {
            broken.add("L10: %s: %d and %d".formatted(what, expected, found));
        }
    }
}
