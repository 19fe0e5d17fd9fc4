package dev.hedgescope.internal.admission;

import dev.hedgescope.Limiter.Permit;
import dev.hedgescope.internal.time.Seam;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * A permit that is settled once, by a compare-and-set from nothing to one of three settlements. A second one throws,
 * naming the first, and gives nothing back.
 *
 * <pre>
 *   held ──► success | ignore | drop
 * </pre>
 */
abstract class SettleOnce implements Permit {

    /** Which of the three verbs settled a permit. */
    enum Settlement {
        SUCCESS("success"),
        IGNORE("ignore"),
        DROP("drop");

        private final String verb;

        Settlement(String verb) {
            this.verb = verb;
        }
    }

    private static final VarHandle SETTLEMENT;

    static {
        try {
            SETTLEMENT = MethodHandles.lookup().findVarHandle(SettleOnce.class, "settlement", Settlement.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    private volatile @Nullable Settlement settlement;

    @Override
    public final void success() {
        settle(Settlement.SUCCESS);
    }

    @Override
    public final void ignore() {
        settle(Settlement.IGNORE);
    }

    @Override
    public final void drop() {
        settle(Settlement.DROP);
    }

    private void settle(Settlement how) {
        Seam.at();
        Settlement first = (Settlement) SETTLEMENT.compareAndExchange(this, null, how);
        if (first != null) {
            throw new IllegalStateException("permit settled twice: first as " + first.verb + ", then as " + how.verb);
        }
        giveBack(how);
    }

    /** Gives the permit back; called once. */
    abstract void giveBack(Settlement how);

    @Override
    public final String toString() {
        Settlement end = settlement;
        return "Permit[" + (end == null ? "held" : end.verb) + "]";
    }
}
