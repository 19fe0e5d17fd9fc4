package dev.hedgescope.samples;

import dev.hedgescope.HedgeSkip;
import dev.hedgescope.HedgeStats;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

/** What the two arms have shown: a table for each dependency, and the gist in words, with the tables' numbers. */
final class Report {

    private static final Duration BUSY = Duration.ofMillis(15);
    private static final Duration SLOW = Duration.ofMillis(100);

    private final Arm.Result unhedged;
    private final Arm.Result hedged;

    Report(Arm.Result unhedged, Arm.Result hedged) {
        this.unhedged = unhedged;
        this.hedged = hedged;
    }

    /** {@return the whole report} */
    @Override
    public String toString() {
        Table queries = new Table("SQL query", "unhedged", "hedged");
        latencies(queries, "", unhedged.queries().latencies(), hedged.queries().latencies());
        counters(queries, unhedged.queries(), hedged.queries());

        Table fetches = new Table("HTTP service call", "unhedged", "hedged");
        latencies(fetches, "", unhedged.fetches().latencies(), hedged.fetches().latencies());
        counters(fetches, unhedged.fetches(), hedged.fetches());
        latencies(fetches, "page of 5 calls, ", unhedged.pages(), hedged.pages());

        return "%s%n%s%n%s%n%s%n%s%n%s%s"
                .formatted(
                        queries,
                        fetches,
                        words("queries", unhedged.queries(), hedged.queries()),
                        words("service calls", unhedged.fetches(), hedged.fetches()),
                        change("pages", unhedged.pages(), hedged.pages()) + ".",
                        busy("unhedged", unhedged.late()),
                        busy("hedged", hedged.late()));
    }

    private static void latencies(Table table, String of, Latencies unhedged, Latencies hedged) {
        for (double percent : new double[] {50, 95, 99, 99.9}) {
            String name = of + (percent == 99.9 ? "p99.9" : "p%.0f".formatted(percent));
            table.row(name, time(unhedged.percentile(percent)), time(hedged.percentile(percent)));
        }
    }

    private static void counters(Table table, Dependency.Figures unhedged, Dependency.Figures hedged) {
        row(
                table,
                "slower than 100 ms",
                unhedged,
                hedged,
                of -> percent(of.latencies().shareAbove(SLOW)));
        row(table, "calls", unhedged, hedged, of -> count(of.stats().calls()));
        row(table, "calls that failed", unhedged, hedged, of -> count(failed(of.stats())));
        row(
                table,
                "hedge delay",
                unhedged,
                hedged,
                of -> of.stats().delay().map(Report::time).orElse("-"));
        row(table, "extra load", unhedged, hedged, of -> percent(of.stats().extraLoad()));
        row(
                table,
                "hedges that won",
                unhedged,
                hedged,
                of -> hedges(of, percent(of.stats().hedgeWinRate())));
        for (HedgeSkip reason : reasons(unhedged, hedged)) {
            String name = "hedges skipped: " + reason.name().toLowerCase(Locale.ROOT);
            row(table, name, unhedged, hedged, of -> count(of.stats().skips().getOrDefault(reason, 0L)));
        }
        row(table, "permits held at most", unhedged, hedged, of -> count(of.mostPermits()));
        row(table, "stragglers at most", unhedged, hedged, of -> hedges(of, count(of.mostStragglers())));
        row(
                table,
                "stragglers at the end",
                unhedged,
                hedged,
                of -> hedges(of, count(of.stats().stragglers())));
        row(
                table,
                "cancel to exit, p50",
                unhedged,
                hedged,
                of -> hedges(of, time(of.stats().cancelToExit().p50())));
        row(
                table,
                "cancel to exit, p99",
                unhedged,
                hedged,
                of -> hedges(of, time(of.stats().cancelToExit().p99())));
    }

    private static void row(
            Table table,
            String name,
            Dependency.Figures unhedged,
            Dependency.Figures hedged,
            Function<Dependency.Figures, String> cell) {
        table.row(name, cell.apply(unhedged), cell.apply(hedged));
    }

    private static String hedges(Dependency.Figures of, String cell) {
        return of.stats().hedges() == 0 ? "-" : cell;
    }

    private static long failed(HedgeStats stats) {
        return stats.calls() - stats.won();
    }

    private static Set<HedgeSkip> reasons(Dependency.Figures... figures) {
        Set<HedgeSkip> reasons = EnumSet.of(HedgeSkip.BUDGET, HedgeSkip.PERMIT);
        Arrays.stream(figures).forEach(of -> reasons.addAll(of.stats().skips().keySet()));
        // attempts: that there is only one is what the unhedged arm is
        reasons.removeIf(reason -> reason == HedgeSkip.ATTEMPTS);
        return reasons;
    }

    private static String words(String what, Dependency.Figures unhedged, Dependency.Figures hedged) {
        return "%s for %s more %s; losers left %s after they were cancelled (median)."
                .formatted(
                        change(what, unhedged.latencies(), hedged.latencies()),
                        percent(hedged.stats().extraLoad()),
                        what,
                        time(hedged.stats().cancelToExit().p50()));
    }

    private static String busy(String arm, Latencies late) {
        Duration p99 = late.percentile(99);
        return p99.compareTo(BUSY) < 0
                ? ""
                : "The machine was busy in the %s run: 1 %% of the queries started %s late or later, which their latency includes.%n"
                        .formatted(arm, time(p99));
    }

    private static String change(String what, Latencies unhedged, Latencies hedged) {
        Duration before = unhedged.percentile(99);
        Duration after = hedged.percentile(99);
        String verb = after.compareTo(before) < 0 ? "fell" : "did not fall:";
        return "p99 of %s %s from %s to %s".formatted(what, verb, time(before), time(after));
    }

    static String time(Duration duration) {
        double millis = duration.toNanos() / 1e6;
        return String.format(Locale.ROOT, millis < 99.95 ? "%.1f ms" : "%.0f ms", millis);
    }

    static String percent(double share) {
        return String.format(Locale.ROOT, "%.1f %%", 100 * share);
    }

    static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
