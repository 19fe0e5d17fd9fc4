package dev.hedgescope.internal.admission;

import dev.hedgescope.Limiter.Permit;
import dev.hedgescope.internal.time.Seam;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A permit that is settled once, by a compare-and-set from HELD to one of three ends. A second settlement throws,
 * naming the first, and gives nothing back.
 *
 * <pre>
 *   HELD ──► SUCCESS | IGNORE | DROP
 * </pre>
 */
abstract class SettleOnce implements Permit {

    static final int HELD = 0;
    static final int SUCCESS = 1;
    static final int IGNORE = 2;
    static final int DROP = 3;

    private static final String[] WORDS = {"held", "success", "ignore", "drop"};
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(SettleOnce.class, "state", int.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private volatile int state;

    @Override
    public final void success() {
        settle(SUCCESS);
    }

    @Override
    public final void ignore() {
        settle(IGNORE);
    }

    @Override
    public final void drop() {
        settle(DROP);
    }

    private void settle(int verb) {
        Seam.at();
        if (!STATE.compareAndSet(this, HELD, verb)) {
            throw new IllegalStateException(
                    "permit settled twice: first as %s, then as %s".formatted(WORDS[state], WORDS[verb]));
        }
        giveBack(verb);
    }

    /** Gives the permit back; called once. */
    abstract void giveBack(int verb);

    @Override
    public String toString() {
        return "Permit[" + WORDS[state] + "]";
    }
}
