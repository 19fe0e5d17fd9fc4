package dev.hedgescope.internal.race;

import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeSkip;
import dev.hedgescope.HedgeStats;
import dev.hedgescope.Outcome;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * What a hedger counts. Adders only, so that callers do not contend; a call that is won by its primary touches three of
 * them.
 */
final class Tally {

    private static final long LONGEST_LAG = TimeUnit.HOURS.toMicros(1);

    final LongAdder calls = new LongAdder();
    final LongAdder failed = new LongAdder();
    final LongAdder timedOut = new LongAdder();
    final LongAdder abandoned = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder hedgesNeverStarted = new LongAdder();
    final LongAdder hooksRun = new LongAdder();
    final LongAdder hooksFailed = new LongAdder();
    final LongAdder interrupts = new LongAdder();
    final LongAdder collaboratorFailures = new LongAdder();
    final LongAdder lateHedges = new LongAdder();
    private final LongAdder[] starts = adders(HedgePolicy.MOST_ATTEMPTS);
    private final LongAdder[] wins = adders(HedgePolicy.MOST_ATTEMPTS);
    private final LongAdder[] outcomes = adders(Outcome.values().length);
    private final LongAdder[] skips = adders(HedgeSkip.values().length);
    private final Histogram cancelToExit = new ConcurrentHistogram(LONGEST_LAG, 2);

    void started(int number) {
        starts[number].increment();
    }

    /** Counts how an attempt ended. {@link Outcome#WON} is the sum of the wins, so that it costs a won call nothing. */
    void ended(int number, Outcome outcome) {
        (outcome == Outcome.WON ? wins[number] : outcomes[outcome.ordinal()]).increment();
    }

    void skipped(HedgeSkip reason) {
        skips[reason.ordinal()].increment();
    }

    void exited(long nanosSinceCancel) {
        long micros = TimeUnit.NANOSECONDS.toMicros(nanosSinceCancel);
        cancelToExit.recordValue(Math.clamp(micros, 0, LONGEST_LAG));
    }

    List<Long> startsByNumber() {
        return sums(starts);
    }

    List<Long> winsByNumber() {
        return sums(wins);
    }

    Map<Outcome, Long> outcomes(long won) {
        Map<Outcome, Long> map = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            map.put(outcome, outcome == Outcome.WON ? won : outcomes[outcome.ordinal()].sum());
        }
        return map;
    }

    Map<HedgeSkip, Long> skips() {
        Map<HedgeSkip, Long> map = new EnumMap<>(HedgeSkip.class);
        for (HedgeSkip reason : HedgeSkip.values()) {
            long count = skips[reason.ordinal()].sum();
            if (count > 0) {
                map.put(reason, count);
            }
        }
        return map;
    }

    HedgeStats.Spread cancelToExit() {
        Histogram copy = cancelToExit.copy();
        return new HedgeStats.Spread(
                copy.getTotalCount(),
                micros(copy.getValueAtPercentile(50)),
                micros(copy.getValueAtPercentile(99)),
                micros(copy.getTotalCount() == 0 ? 0 : copy.getMaxValue()));
    }

    private static Duration micros(long micros) {
        return Duration.of(micros, ChronoUnit.MICROS);
    }

    private static LongAdder[] adders(int count) {
        return Stream.generate(LongAdder::new).limit(count).toArray(LongAdder[]::new);
    }

    private static List<Long> sums(LongAdder[] adders) {
        return Stream.of(adders).map(LongAdder::sum).toList();
    }
}
