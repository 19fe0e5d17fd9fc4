package dev.hedgescope;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a hedger has counted since it was made, and its gauges at the moment.
 *
 * <p>At rest {@code calls = won + failed + timedOut + abandoned + refused}, and hedges that came due = {@code hedges +
 * hedgesNeverStarted} + the sum of {@code skips}. While calls run, each counter is exact for itself; ends are read
 * before starts, so that never more ends than starts are seen. A call's numbers are final before its result is visible;
 * those of an attempt before its permit is given back.
 *
 * @param operation the hedger's name
 * @param calls calls admitted or refused
 * @param won calls that returned an accepted value
 * @param failed calls that ended with a failure, or with a refused value since nothing better came
 * @param timedOut calls that reached their deadline
 * @param abandoned calls whose caller was interrupted, whose scope was closed without a join, or whose hedger was
 *     closed
 * @param refused calls that got no permit for their primary
 * @param attempts attempts that entered their task
 * @param hedges attempts other than primaries that entered their task
 * @param hedgesNeverStarted hedges whose call was decided before they entered their task
 * @param startsByNumber attempts that entered their task, by their number
 * @param winsByNumber attempts that won, by their number
 * @param outcomes how attempts ended
 * @param skips hedges that were due and were not started, by reason
 * @param hooksRun cancel hooks that ran
 * @param hooksFailed cancel hooks that threw
 * @param interrupts attempts that were interrupted
 * @param collaboratorFailures what listeners, discards, wrappers and limiters threw
 * @param lateHedges hedges that entered their task more than 10 ms after they were due
 * @param running attempts that hold a thread at present
 * @param stragglers attempts that were told to stop and have not left their task
 * @param oldestStraggler how long ago the oldest of them was told to stop; zero if there is none
 * @param permitsInUse permits held, by all who share the limiter; 0 without a limiter
 * @param limit the limiter's present limit; {@link Integer#MAX_VALUE} without a limiter
 * @param budgetBalance tokens in the purse
 * @param delay the delay in force, if it is one number
 * @param cancelToExit the time from an attempt's cancellation to its leaving the task
 */
public record HedgeStats(
        String operation,
        long calls,
        long won,
        long failed,
        long timedOut,
        long abandoned,
        long refused,
        long attempts,
        long hedges,
        long hedgesNeverStarted,
        List<Long> startsByNumber,
        List<Long> winsByNumber,
        Map<Outcome, Long> outcomes,
        Map<HedgeSkip, Long> skips,
        long hooksRun,
        long hooksFailed,
        long interrupts,
        long collaboratorFailures,
        long lateHedges,
        int running,
        int stragglers,
        Duration oldestStraggler,
        int permitsInUse,
        int limit,
        double budgetBalance,
        Optional<Duration> delay,
        Spread cancelToExit) {

    /** Makes the record, with copies of the collections. */
    public HedgeStats {
        startsByNumber = List.copyOf(startsByNumber);
        winsByNumber = List.copyOf(winsByNumber);
        outcomes = Map.copyOf(outcomes);
        skips = Map.copyOf(skips);
    }

    /** {@return the share of started hedges whose value the caller got, from 0 to 1; 0 if none was started} */
    public double hedgeWinRate() {
        long wins = winsByNumber.stream().skip(1).mapToLong(Long::longValue).sum();
        return hedges == 0 ? 0 : (double) wins / hedges;
    }

    /** {@return hedges started per primary that entered its task; 0 if there was none} */
    public double extraLoad() {
        long primaries = attempts - hedges;
        return primaries == 0 ? 0 : (double) hedges / primaries;
    }

    /** {@return hedges that came due: started, never started, or skipped} */
    public long hedgesDue() {
        return hedges
                + hedgesNeverStarted
                + skips.values().stream().mapToLong(Long::longValue).sum();
    }

    /**
     * A distribution of times, in few numbers.
     *
     * @param count how many were measured
     * @param p50 the median; zero if there are none
     * @param p99 the 99th percentile
     * @param max the longest
     */
    public record Spread(long count, Duration p50, Duration p99, Duration max) {}
}
