package dev.hedgescope.internal.admission;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.Limiter;
import dev.hedgescope.internal.time.Nanos;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A limiter whose limit moves only when it is told to. It keeps no reserve from hedges, and learns nothing from how
 * permits are settled.
 */
public final class FixedLimiter implements Limiter.Adjustable {

    private final Gate gate;

    /** Makes a limiter of {@code permits} permits, 0 or more. */
    public FixedLimiter(int permits, HedgeRuntime runtime) {
        this.gate = new Gate(checked(permits, "permits"), runtime);
    }

    private static int checked(int value, String name) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must not be negative, was " + value);
        }
        return value;
    }

    @Override
    public @Nullable Permit tryAcquire() {
        return gate.tryAcquire() ? new Held(gate) : null;
    }

    @Override
    public @Nullable Permit acquire(Duration wait) throws InterruptedException {
        return gate.acquire(Nanos.of(wait)) ? new Held(gate) : null;
    }

    @Override
    public int limit() {
        return gate.limit();
    }

    @Override
    public int inUse() {
        return gate.inUse();
    }

    @Override
    public void limit(int newLimit) {
        gate.limit(checked(newLimit, "limit"));
    }

    @Override
    public String toString() {
        return "Limiter[" + inUse() + " of " + limit() + " permits held]";
    }

    private static final class Held extends SettleOnce {

        private final Gate gate;

        Held(Gate gate) {
            this.gate = gate;
        }

        @Override
        void giveBack(int verb) {
            gate.release();
        }
    }
}
