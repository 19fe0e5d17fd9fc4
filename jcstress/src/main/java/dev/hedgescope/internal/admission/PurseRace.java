package dev.hedgescope.internal.admission;

import dev.hedgescope.HedgeRuntime;
import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LL_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Two movements of one purse at once. */
public final class PurseRace {

    private PurseRace() {}

    private static TokenBucket purse(double ratio, double burst, double initial) {
        return new TokenBucket(millionths(ratio), millionths(burst), millionths(initial), 0, HedgeRuntime.system());
    }

    private static long millionths(double tokens) {
        return Math.round(tokens * TokenBucket.TOKEN);
    }

    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The first has the one token.")
    @Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The second has the one token.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "One token was withdrawn twice, or by nobody.")
    @State
    public static class Withdrawals {

        private final TokenBucket purse = purse(0.1, 10, 1);

        @Actor
        public void first(ZZ_Result r) {
            r.r1 = purse.tryWithdraw();
        }

        @Actor
        public void second(ZZ_Result r) {
            r.r2 = purse.tryWithdraw();
        }
    }

    @JCStressTest
    @Outcome(id = "2.1 of 10, 1.0 of 1", expect = Expect.ACCEPTABLE, desc = "Both came in, up to what a purse holds.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A deposit or a refund was lost, or a purse holds more than its burst.")
    @State
    public static class RefundAndDeposit {

        private final TokenBucket large = purse(0.1, 10, 1);
        private final TokenBucket small = purse(0.1, 1, 0.95);

        @Actor
        public void refund() {
            large.refund();
            small.refund();
        }

        @Actor
        public void deposit() {
            large.deposit();
            small.deposit();
        }

        @Arbiter
        public void count(LL_Result r) {
            r.r1 = large.balance() + " of 10";
            r.r2 = small.balance() + " of 1";
        }
    }

    /** Reads the balance, then takes a token. */
    @JCStressTest
    @Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The first has the one token.")
    @Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The second has the one token.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "One token was withdrawn twice.")
    @State
    public static class BrokenWithdrawals {

        private final AtomicLong balance = new AtomicLong(1);

        private boolean tryWithdraw() {
            if (balance.get() < 1) {
                return false;
            }
            balance.decrementAndGet();
            return true;
        }

        @Actor
        public void first(ZZ_Result r) {
            r.r1 = tryWithdraw();
        }

        @Actor
        public void second(ZZ_Result r) {
            r.r2 = tryWithdraw();
        }
    }

    /** Writes what it has read, plus the amount, up to the burst: whatever came between is lost. */
    @JCStressTest
    @Outcome(id = "2.1 of 10, 1.0 of 1", expect = Expect.ACCEPTABLE, desc = "Both came in, up to what a purse holds.")
    @Outcome(expect = Expect.FORBIDDEN, desc = "A deposit or a refund was lost.")
    @State
    public static class BrokenRefundAndDeposit {

        private final AtomicLong large = new AtomicLong(10);
        private final AtomicLong small = new AtomicLong(9);

        private static void add(AtomicLong tenths, long amount, long burst) {
            tenths.set(Math.min(burst, tenths.get() + amount));
        }

        @Actor
        public void refund() {
            add(large, 10, 100);
            add(small, 10, 10);
        }

        @Actor
        public void deposit() {
            add(large, 1, 100);
            add(small, 1, 10);
        }

        @Arbiter
        public void count(LL_Result r) {
            r.r1 = large.get() / 10.0 + " of 10";
            r.r2 = small.get() / 10.0 + " of 1";
        }
    }
}
