package dev.hedgescope.laws;

import dev.hedgescope.Limiter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A limiter that compares its permits with the work under them, and goes wrong at times. */
final class GaugedLimiter implements Limiter {

    private final Witness witness;
    private final Adjustable inner;
    private final double faults;
    private final boolean parks;
    private boolean over;
    private int held;
    private int working;

    GaugedLimiter(Witness witness, int permits, double faults, boolean parks) {
        this.witness = witness;
        this.inner = Limiter.fixed(permits, witness.sim.runtime());
        this.faults = faults;
        this.parks = parks;
    }

    void limit(int permits) {
        inner.limit(permits);
    }

    /** A task, or the discard of its own late value, begins. */
    void workBegins() {
        working++;
        compare();
    }

    void workEnds() {
        working--;
    }

    private void compare() {
        if (working > held) {
            witness.violated("L3", working + " attempts work under " + held + " permits");
        }
    }

    void checkSettled() {
        over = true;
        if (held != 0 || inner.inUse() != 0) {
            witness.violated("L3", held + " permits are not settled, " + inner.inUse() + " in use");
        }
    }

    private void fails(String what) {
        if (over) {
            return;
        }
        if (parks && witness.chance(0.2)) {
            witness.sim.runtime().park(1);
        }
        if (witness.chance(faults)) {
            throw witness.injected(new UnsupportedOperationException(what));
        }
    }

    @Override
    public @Nullable Permit tryAcquire() {
        fails("tryAcquire");
        return witness.chance(faults) ? null : held(inner.tryAcquire());
    }

    @Override
    public @Nullable Permit tryAcquireHedge() {
        fails("tryAcquireHedge");
        return witness.chance(faults) ? null : held(inner.tryAcquireHedge());
    }

    @Override
    public @Nullable Permit acquire(Duration wait) throws InterruptedException {
        fails("acquire");
        return held(inner.acquire(wait));
    }

    private @Nullable Permit held(@Nullable Permit permit) {
        if (permit == null) {
            return null;
        }
        held++;
        return new Gauged(permit);
    }

    @Override
    public int limit() {
        fails("limit");
        return inner.limit();
    }

    @Override
    public int inUse() {
        fails("inUse");
        return inner.inUse();
    }

    private final class Gauged implements Permit {

        private final Permit inner;
        private boolean settled;

        Gauged(Permit inner) {
            this.inner = inner;
        }

        @Override
        public void success() {
            settle();
            inner.success();
            fails("success");
        }

        @Override
        public void ignore() {
            settle();
            inner.ignore();
            fails("ignore");
        }

        @Override
        public void drop() {
            settle();
            inner.drop();
            fails("drop");
        }

        private void settle() {
            if (settled) {
                witness.violated("L3", "a permit is settled twice");
            }
            settled = true;
            held--;
            compare();
            witness.expectNoInterrupt("permit");
        }
    }
}
