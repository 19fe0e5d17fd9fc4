package dev.hedgescope.internal.race;

import dev.hedgescope.internal.time.Seam;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What most calls do without: a predicate on values, a discard, the slot for a refused value, where attempts get their
 * work from.
 *
 * <p>The slot holds the refused value of the lowest-numbered attempt. It is empty, then holds a value, then one of a
 * lower number, and is closed by whoever decides the call, by get-and-set. Each value that was ever put in is taken out
 * by exactly one: whoever displaces it discards it, and what is taken out at closing time is delivered or discarded.
 */
final class Extras {

    /** The outcome of offering a refused value. */
    enum Offer {
        /** It lies in the slot. */
        KEPT,
        /** One of a lower number lies there: discard this one. */
        SURPLUS,
        /** The call is decided: the value is late. */
        CLOSED
    }

    /** A refused value, or the mark of a closed slot. */
    private record Kept(int number, @Nullable Object value) {}

    private static final Kept CLOSED = new Kept(-1, null);

    @Nullable
    Predicate<@Nullable Object> acceptIf;

    @Nullable
    Consumer<@Nullable Object> onDiscard;

    @Nullable
    Source source;

    /**
     * What a call that timed out says: put together before the losers are cancelled, while they are still seen running.
     */
    @Nullable
    String timedOut;

    private final AtomicReference<@Nullable Kept> slot = new AtomicReference<>();
    private final AtomicReference<@Nullable Instant> deadline = new AtomicReference<>();

    /** Offers a refused value; a displaced one is discarded here. */
    Offer keep(AttemptRun attempt, @Nullable Object value) {
        Kept mine = new Kept(attempt.number(), value);
        while (true) {
            Seam.at();
            Kept present = slot.get();
            if (present == CLOSED) {
                return Offer.CLOSED;
            }
            if (present != null && present.number < mine.number) {
                return Offer.SURPLUS;
            }
            Seam.at();
            if (slot.compareAndSet(present, mine)) {
                if (present != null) {
                    discard(attempt.core(), present.value);
                }
                return Offer.KEPT;
            }
        }
    }

    /** Closes the slot. {@return the value in it, boxed in an array of one, or null if there is none} */
    @Nullable
    Object @Nullable [] closeSlot() {
        Seam.at();
        Kept kept = slot.getAndSet(CLOSED);
        return kept == null || kept == CLOSED ? null : new @Nullable Object[] {kept.value};
    }

    /** Closes the slot and discards what is in it. */
    void discardKept(Core core) {
        @Nullable Object[] kept = closeSlot();
        if (kept != null) {
            discard(core, kept[0]);
        }
    }

    void discard(Core core, @Nullable Object value) {
        Consumer<@Nullable Object> discard = onDiscard;
        if (discard != null) {
            core.collaborators.discard(discard, value);
        }
    }

    /** {@return the call's deadline as wall-clock time: that of the first who asked} */
    Instant deadline(Instant now) {
        Seam.at();
        Instant present = deadline.compareAndExchange(null, now);
        return present == null ? now : present;
    }
}
