package dev.hedgescope.internal.admission;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.internal.time.Seam;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A purse of tokens in fixed point, millionths of a token: it never holds more than its burst, and never less than
 * nothing.
 *
 * <p>The whole state is one {@link AtomicLong}, moved by compare-and-set, even where tokens accrue with time. It holds
 * <i>the balance less everything that has accrued since the start</i>:
 *
 * <pre>
 *   A(t)        = floor per second × time since the start, a whole number of millionths, from the clock alone
 *   balance(t)  = min(burst, word + A(t))
 *   withdrawal  : word ← balance(t) − 1 token − A(t), if the balance is 1 token or more
 *   addition    : word ← min(burst, word + amount)
 * </pre>
 *
 * <p>So time is neither lost nor paid twice, whoever races, and nothing is rounded more than once. What overflows the
 * burst is cut off at the next withdrawal at the latest: between withdrawals it does not matter when, so an addition
 * needs no clock. The time is the latest that was ever read, so that a clock that goes back neither pays nor takes until
 * it has caught up. Without a floor A is 0, the word is the balance, and the clock is never read.
 *
 * <p>Integers fit: A stays below 2<sup>63</sup> for 290 years at the greatest floor, additions never pass the burst.
 */
public final class TokenBucket {

    /** One token, in the unit of all amounts here. */
    public static final long TOKEN = 1_000_000;

    private static final long NANOS_PER_SECOND = 1_000_000_000;

    private final HedgeRuntime runtime;
    private final long deposit;
    private final long burst;
    private final long floorPerSecond;
    private final long start;
    private final AtomicLong word;
    private final AtomicLong latest = new AtomicLong();

    /**
     * Makes a purse; all amounts in millionths of a token.
     *
     * @param deposit what a deposit adds, 0 to 10<sup>6</sup>
     * @param burst the most it holds, 0 to 10<sup>15</sup>
     * @param initial what it holds at first, 0 or more; no more than the burst is kept
     * @param floorPerSecond what each second adds, 0 to 10<sup>9</sup>
     * @param runtime where time comes from
     */
    public TokenBucket(long deposit, long burst, long initial, long floorPerSecond, HedgeRuntime runtime) {
        this.runtime = runtime;
        this.deposit = deposit;
        this.burst = burst;
        this.floorPerSecond = floorPerSecond;
        this.start = floorPerSecond == 0 ? 0 : runtime.nanoTime();
        this.word = new AtomicLong(Math.min(burst, initial));
    }

    /** {@return what a deposit adds, in millionths} */
    public long depositAmount() {
        return deposit;
    }

    /** {@return the most it holds, in millionths} */
    public long burst() {
        return burst;
    }

    /** {@return what each second adds, in millionths} */
    public long floorPerSecond() {
        return floorPerSecond;
    }

    /** {@return whether a token was taken} */
    public boolean tryWithdraw() {
        while (true) {
            Seam.at();
            long present = word.get();
            long accrued = accrued();
            long balance = Math.min(burst, present + accrued);
            if (balance < TOKEN) {
                return false;
            }
            Seam.at();
            if (word.compareAndSet(present, balance - TOKEN - accrued)) {
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

    /** {@return what it holds, in millionths} */
    public long balance() {
        Seam.at();
        long present = word.get();
        return Math.max(0, Math.min(burst, present + accrued()));
    }

    private void add(long amount) {
        while (true) {
            Seam.at();
            long present = word.get();
            long next = Math.min(burst, present + amount);
            if (next == present) {
                return; // a full purse is not written: those who only deposit do not contend on it
            }
            Seam.at();
            if (word.compareAndSet(present, next)) {
                return;
            }
        }
    }

    private long accrued() {
        if (floorPerSecond == 0) {
            return 0;
        }
        long now = runtime.nanoTime() - start;
        Seam.at();
        return accrued(floorPerSecond, latest.accumulateAndGet(now, Math::max));
    }

    /** {@return what has accrued: whole seconds and the rest apart, so that neither product overflows} */
    static long accrued(long perSecond, long nanos) {
        return nanos / NANOS_PER_SECOND * perSecond + nanos % NANOS_PER_SECOND * perSecond / NANOS_PER_SECOND;
    }
}
