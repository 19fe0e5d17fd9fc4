package dev.hedgescope;

import static java.util.Objects.requireNonNull;

import dev.hedgescope.internal.admission.TokenBucket;
import org.jspecify.annotations.Nullable;

/**
 * A purse of tokens that limits extra load: each call that succeeds adds {@code ratio} tokens, up to {@code burst};
 * each hedge costs one.
 *
 * <p><b>The bound.</b> In any interval, hedges started are at most the tokens in the purse at its beginning, plus ratio
 * × calls that succeeded in it (plus the floor × its length, if there is one). So in a total outage, when nothing
 * succeeds, hedging stops by itself; and it cannot exceed {@code burst + ratio × calls} however slow everything gets.
 * Without a floor, idle time neither fills nor empties the purse.
 *
 * <p><b>Sharing.</b> Pass the same object to all hedgers that load the same dependency, and let retries pay from it
 * too: {@link #tryWithdraw} before the extra request, {@link #refund} if it was not sent, {@link #deposit} for each
 * call that succeeded without a hedger.
 *
 * {@snippet :
 * if (budget.tryWithdraw()) {
 *     retry();
 * }
 * }
 *
 * <p><b>Units.</b> Amounts are tokens, kept in whole millionths, to which the builder rounds what it is given. Unless
 * {@code initial} is given the purse starts with a uniform random part of one token, so that a fleet of clients that
 * starts together does not hedge together.
 *
 * <p><b>Threads.</b> Any thread may use it; nothing blocks, and nothing is locked: the state is one atomic number. A
 * token that is given back or added happens-before the withdrawal that takes it. A deposit into a full purse writes
 * nothing, and orders nothing.
 */
public final class HedgeBudget {

    private static final double DEFAULT_RATIO = 0.1;
    private static final double DEFAULT_BURST = 10;
    private static final double MOST_BURST = 1e9;
    private static final double MOST_FLOOR = 1_000;
    private static final double MOST_EXTRA_LOAD = 0.5;

    /** The purse, or null where there is no end of tokens. */
    private final @Nullable TokenBucket bucket;

    private HedgeBudget(@Nullable TokenBucket bucket) {
        this.bucket = bucket;
    }

    /**
     * Makes a purse.
     *
     * @param ratio tokens that a successful call adds, 0 to 1
     * @param burst the most tokens it holds, 0 to 10<sup>9</sup>
     * @return the purse
     * @throws IllegalArgumentException if one is out of range
     */
    public static HedgeBudget of(double ratio, double burst) {
        return of(ratio, burst, HedgeRuntime.system());
    }

    /**
     * Makes a purse whose random start comes from the given runtime.
     *
     * @param ratio tokens that a successful call adds, 0 to 1
     * @param burst the most tokens it holds, 0 to 10<sup>9</sup>
     * @param runtime where chance comes from
     * @return the purse
     * @throws IllegalArgumentException if one is out of range
     */
    public static HedgeBudget of(double ratio, double burst, HedgeRuntime runtime) {
        return builder().ratio(ratio).burst(burst).runtime(runtime).build();
    }

    /**
     * Makes a purse for so much extra load, with a burst of 10.
     *
     * @param extraLoad hedges per call, more than 0 and at most 0.5: 0.02 is two per cent
     * @return the purse
     * @throws IllegalArgumentException if it is out of range
     */
    public static HedgeBudget ofExtraLoad(double extraLoad) {
        return ofExtraLoad(extraLoad, HedgeRuntime.system());
    }

    /**
     * Makes a purse for so much extra load, with a burst of 10, whose random start comes from the given runtime.
     *
     * @param extraLoad hedges per call, more than 0 and at most 0.5: 0.02 is two per cent
     * @param runtime where chance comes from
     * @return the purse
     * @throws IllegalArgumentException if it is out of range
     */
    public static HedgeBudget ofExtraLoad(double extraLoad, HedgeRuntime runtime) {
        if (!(extraLoad > 0 && extraLoad <= MOST_EXTRA_LOAD)) {
            throw new IllegalArgumentException(
                    "extraLoad must be a fraction, more than 0 and at most 0.5 (0.02 is two per cent), was "
                            + extraLoad);
        }
        return of(extraLoad, DEFAULT_BURST, runtime);
    }

    /**
     * {@return a purse that never refuses} For tests and for examples of a single call; in production it lets a slow
     * dependency be loaded twice.
     */
    public static HedgeBudget unlimited() {
        return new HedgeBudget(null);
    }

    /** {@return a purse that always refuses, and stays empty whatever is put into it} */
    public static HedgeBudget none() {
        return builder().ratio(0).burst(0).initial(0).build();
    }

    /** {@return a builder with ratio 0.1, burst 10, a random start and no floor} */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Takes a token. It pays for one extra request.
     *
     * @return whether there was one
     */
    public boolean tryWithdraw() {
        return bucket == null || bucket.tryWithdraw();
    }

    /**
     * Gives back a token that paid for nothing, since the extra request was not sent. Never fills the purse above its
     * burst; whether the token came from this purse is not checked.
     */
    public void refund() {
        if (bucket != null) {
            bucket.refund();
        }
    }

    /**
     * Adds what one successful call adds, up to the burst. The hedger does it for its calls; code that pays from this
     * purse and calls without a hedger does it itself.
     */
    public void deposit() {
        if (bucket != null) {
            bucket.deposit();
        }
    }

    /** {@return how many tokens it holds, 0 to {@link #burst()}} It may have changed by the time it is looked at. */
    public double balance() {
        return bucket == null ? Double.POSITIVE_INFINITY : tokens(bucket.balance());
    }

    /** {@return how many tokens a successful call adds, 0 to 1; infinity for {@link #unlimited()}} */
    public double ratio() {
        return bucket == null ? Double.POSITIVE_INFINITY : tokens(bucket.depositAmount());
    }

    /** {@return the most tokens it holds, 0 or more; infinity for {@link #unlimited()}} */
    public double burst() {
        return bucket == null ? Double.POSITIVE_INFINITY : tokens(bucket.burst());
    }

    @Override
    public String toString() {
        return bucket == null
                ? "HedgeBudget[unlimited]"
                : "HedgeBudget[" + terms(bucket) + ", balance " + balance() + "]";
    }

    private static String terms(TokenBucket bucket) {
        if (bucket.burst() == 0) {
            return "none";
        }
        String terms = "ratio " + tokens(bucket.depositAmount()) + ", burst " + tokens(bucket.burst());
        return bucket.floorPerSecond() == 0 ? terms : terms + ", floor " + tokens(bucket.floorPerSecond()) + "/s";
    }

    private static double tokens(long millionths) {
        return (double) millionths / TokenBucket.TOKEN;
    }

    /**
     * Builds a purse. A value that is out of range is refused by the method that sets it, with {@link
     * IllegalArgumentException}; so is one that is more than 0 and rounds to no millionth of a token, since it would
     * act as 0.
     */
    public static final class Builder {

        private long ratio = millionths("ratio", DEFAULT_RATIO, 1);
        private long burst = millionths("burst", DEFAULT_BURST, MOST_BURST);
        private @Nullable Long initial;
        private long floorPerSecond;
        private HedgeRuntime runtime = HedgeRuntime.system();

        private Builder() {}

        /**
         * Sets what a successful call adds.
         *
         * @param value tokens, 0 to 1
         * @return this
         */
        public Builder ratio(double value) {
            ratio = millionths("ratio", value, 1);
            return this;
        }

        /**
         * Sets the most that the purse holds. Less than 1 never pays for a hedge.
         *
         * @param value tokens, 0 to 10<sup>9</sup>
         * @return this
         */
        public Builder burst(double value) {
            burst = millionths("burst", value, MOST_BURST);
            return this;
        }

        /**
         * Sets what the purse holds at first; no more than the burst is kept. Unless set it is a random part of one
         * token.
         *
         * @param value tokens, 0 to 10<sup>9</sup>
         * @return this
         */
        public Builder initial(double value) {
            initial = millionths("initial", value, MOST_BURST);
            return this;
        }

        /**
         * Sets what time adds, whether or not calls succeed, up to the burst. Off by default: in a fleet of N clients
         * it allows N times as many hedges.
         *
         * @param value tokens per second, 0 to 1,000
         * @return this
         */
        public Builder floorPerSecond(double value) {
            floorPerSecond = millionths("floorPerSecond", value, MOST_FLOOR);
            return this;
        }

        /**
         * Sets where time and chance come from: the clock for the floor, the random start.
         *
         * @param value the runtime
         * @return this
         */
        public Builder runtime(HedgeRuntime value) {
            runtime = requireNonNull(value, "runtime");
            return this;
        }

        /**
         * Builds the purse.
         *
         * @return a new purse with the values set so far
         */
        public HedgeBudget build() {
            long first = initial == null ? Long.remainderUnsigned(runtime.nextRandom(), TokenBucket.TOKEN) : initial;
            return new HedgeBudget(new TokenBucket(ratio, burst, first, floorPerSecond, runtime));
        }

        private static long millionths(String name, double value, double most) {
            if (!(value >= 0 && value <= most)) {
                throw new IllegalArgumentException(name + " must be between 0 and " + (long) most + ", was " + value);
            }
            long rounded = Math.round(value * TokenBucket.TOKEN);
            if (rounded == 0 && value > 0) {
                throw new IllegalArgumentException(name + " must be 0 or at least a millionth, was " + value);
            }
            return rounded;
        }
    }
}
