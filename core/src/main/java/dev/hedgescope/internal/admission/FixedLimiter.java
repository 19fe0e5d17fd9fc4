package dev.hedgescope.internal.admission;

import static java.util.Objects.requireNonNull;

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

    /**
     * Makes a limiter.
     *
     * @param permits how many permits, 0 or more
     * @param runtime the runtime through which waiters park
     * @throws IllegalArgumentException if {@code permits} is negative
     */
    public FixedLimiter(int permits, HedgeRuntime runtime) {
        this.gate = new Gate(notNegative("permits", permits), requireNonNull(runtime, "runtime"));
    }

    private static int notNegative(String name, int value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " must not be negative, was " + value);
        }
        return value;
    }

    @Override
    public @Nullable Permit tryAcquire() {
        Held permit = new Held(gate); // before the gate is asked: who runs out of memory here holds nothing
        return gate.tryAcquire() ? permit : null;
    }

    @Override
    public @Nullable Permit acquire(Duration wait) throws InterruptedException {
        long nanos = Nanos.of(requireNonNull(wait, "wait"));
        Held permit = new Held(gate);
        return gate.acquire(nanos) ? permit : null;
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
        gate.limit(notNegative("limit", newLimit));
    }

    @Override
    public String toString() {
        return "Limiter[" + inUse() + " of " + limit() + " permits held, " + gate.waiting() + " waiting]";
    }

    /** A permit: a reference and an int, 24 bytes at most. */
    private static final class Held extends SettleOnce {

        private final Gate gate;

        Held(Gate gate) {
            this.gate = gate;
        }

        @Override
        void giveBack(Settlement how) {
            gate.release();
        }
    }
}
