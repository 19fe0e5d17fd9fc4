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
 * Idle time neither fills nor empties the purse.
 *
 * <p><b>Sharing.</b> Pass the same object to all hedgers that load the same dependency, and let retries pay from it
 * too: {@link #tryWithdraw} before the extra request, {@link #refund} if it was not sent.
 *
 * <p>Unless {@code initial} is given the purse starts with a uniform random part of one token, so that a fleet of
 * clients that starts together does not hedge together.
 *
 * <p>Any thread may use it; nothing blocks. Amounts are kept in millionths of a token.
 */
public final class HedgeBudget {

    private static final double DEFAULT_BURST = 10;
    private static final double MOST_BURST = 1e9;
    private static final double MOST_EXTRA_LOAD = 0.5;

    private final String words;
    private final @Nullable TokenBucket bucket;
    private final double endless;

    private HedgeBudget(String words, @Nullable TokenBucket bucket, double endless) {
        this.words = words;
        this.bucket = bucket;
        this.endless = endless;
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
        return new HedgeBudget("unlimited", null, Double.POSITIVE_INFINITY);
    }

    /** {@return a purse that always refuses} */
    public static HedgeBudget none() {
        return new HedgeBudget("none", null, 0);
    }

    /** {@return a builder with ratio 0.1, burst 10, a random start and no floor} */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Takes a token.
     *
     * @return whether there was one
     */
    public boolean tryWithdraw() {
        return bucket == null ? endless > 0 : bucket.tryWithdraw();
    }

    /** Gives a token back that paid for nothing. Never fills the purse above its burst. */
    public void refund() {
        if (bucket != null) {
            bucket.refund();
        }
    }

    /**
     * Adds what one successful call adds. The hedger does it; code that calls without one, and pays from this purse,
     * does it itself.
     */
    public void deposit() {
        if (bucket != null) {
            bucket.deposit();
        }
    }

    /** {@return how many tokens it holds: 0 for {@link #none()}, infinity for {@link #unlimited()}} */
    public double balance() {
        return bucket == null ? endless : bucket.balance();
    }

    @Override
    public String toString() {
        return "HedgeBudget[" + words + ", balance " + balance() + "]";
    }

    /** Builds a purse. */
    public static final class Builder {

        private double ratio = 0.1;
        private double burst = DEFAULT_BURST;
        private double initial = Double.NaN;
        private double floorPerSecond;
        private HedgeRuntime runtime = HedgeRuntime.system();

        private Builder() {}

        /**
         * Sets what a successful call adds.
         *
         * @param value tokens, 0 to 1
         * @return this
         */
        public Builder ratio(double value) {
            ratio = checked("ratio", value, 1);
            return this;
        }

        /**
         * Sets the most that the purse holds.
         *
         * @param value tokens, 0 to 10<sup>9</sup>
         * @return this
         */
        public Builder burst(double value) {
            burst = checked("burst", value, MOST_BURST);
            return this;
        }

        /**
         * Sets what the purse holds at first; no more than the burst is kept.
         *
         * @param value tokens, 0 to 10<sup>9</sup>
         * @return this
         */
        public Builder initial(double value) {
            initial = checked("initial", value, MOST_BURST);
            return this;
        }

        /**
         * Sets what time adds, whether or not calls succeed. Off by default: in a fleet of N clients it allows N times
         * as many hedges.
         *
         * @param value tokens per second, 0 to 10<sup>6</sup>
         * @return this
         */
        public Builder floorPerSecond(double value) {
            floorPerSecond = checked("floorPerSecond", value, 1e6);
            return this;
        }

        /**
         * Sets where the clock and chance come from.
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
         * @return the purse
         */
        public HedgeBudget build() {
            double start = Double.isNaN(initial) ? (runtime.nextRandom() >>> 11) * 0x1p-53 : initial;
            String floor = floorPerSecond > 0 ? ", floor " + floorPerSecond + "/s" : "";
            return new HedgeBudget(
                    "ratio " + ratio + ", burst " + burst + floor,
                    new TokenBucket(ratio, burst, start, floorPerSecond, runtime),
                    0);
        }

        private static double checked(String name, double value, double most) {
            if (!(value >= 0 && value <= most)) {
                throw new IllegalArgumentException(
                        "%s must be between 0 and %.0f, was %s".formatted(name, most, value));
            }
            return value;
        }
    }
}
