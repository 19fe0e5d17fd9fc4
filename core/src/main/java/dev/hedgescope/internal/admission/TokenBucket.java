package dev.hedgescope.internal.admission;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.internal.time.Seam;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A purse of tokens in fixed point: millionths of a token in one {@link AtomicLong}, moved by compare-and-set. It never
 * holds more than its burst, and never less than nothing.
 *
 * <p>The optional floor accrues with the clock, lazily, when a withdrawal needs it: {@code accruedTo} is the clock
 * reading up to which time has been turned into tokens, moved by compare-and-set before the tokens are added, so that
 * no span of time pays twice. A clock that goes back pays nothing.
 */
public final class TokenBucket {

    /** One token. */
    public static final long TOKEN = 1_000_000;

    private static final double NANOS_PER_SECOND = 1e9;

    private final HedgeRuntime runtime;
    private final long deposit;
    private final long burst;
    private final double unitsPerNano;
    private final AtomicLong balance;
    private final AtomicLong accruedTo;

    /**
     * Makes a purse; all amounts in tokens.
     *
     * @param ratio what a deposit adds
     * @param burst the most it holds
     * @param initial what it holds at first
     * @param floorPerSecond what time adds
     */
    public TokenBucket(double ratio, double burst, double initial, double floorPerSecond, HedgeRuntime runtime) {
        this.runtime = runtime;
        this.deposit = Math.round(ratio * TOKEN);
        this.burst = Math.round(burst * TOKEN);
        this.unitsPerNano = floorPerSecond * TOKEN / NANOS_PER_SECOND;
        this.balance = new AtomicLong(Math.min(this.burst, (long) (initial * TOKEN)));
        this.accruedTo = new AtomicLong(floorPerSecond > 0 ? runtime.nanoTime() : 0);
    }

    /** {@return whether a token was taken} */
    public boolean tryWithdraw() {
        while (true) {
            Seam.at();
            long present = balance.get();
            if (present < TOKEN) {
                if (unitsPerNano == 0 || !accrue(present)) {
                    return false;
                }
                continue;
            }
            Seam.at();
            if (balance.compareAndSet(present, present - TOKEN)) {
                return true;
            }
        }
    }

    /** Adds one deposit. */
    public void deposit() {
        add(deposit);
    }

    /** Adds one token. */
    public void refund() {
        add(TOKEN);
    }

    /** {@return what it holds, in tokens} */
    public double balance() {
        Seam.at();
        return (double) balance.get() / TOKEN;
    }

    private void add(long amount) {
        while (true) {
            Seam.at();
            long present = balance.get();
            long next = Math.min(burst, present + amount);
            if (next == present) {
                return; // a full purse is not written: callers do not contend on it
            }
            Seam.at();
            if (balance.compareAndSet(present, next)) {
                return;
            }
        }
    }

    /**
     * Turns the time since the last accrual into tokens, once it is enough to pay for one: so a withdrawal that fails
     * loses nothing to rounding.
     *
     * @return whether it is worth another try
     */
    private boolean accrue(long present) {
        long now = runtime.nanoTime();
        Seam.at();
        long since = accruedTo.get();
        double elapsed = now - since;
        long units = (long) Math.min((double) burst, elapsed * unitsPerNano);
        if (elapsed <= 0 || present + units < TOKEN) {
            return false;
        }
        long paidTo = units == burst ? now : since + (long) Math.ceil(units / unitsPerNano);
        Seam.at();
        if (accruedTo.compareAndSet(since, paidTo)) {
            add(units);
        }
        return true;
    }
}
