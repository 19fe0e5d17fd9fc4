package dev.hedgescope.internal.race;

import dev.hedgescope.Attempt;
import org.jspecify.annotations.Nullable;

/**
 * Where the attempts of a call get their work from, if it is not the same task for each. Used by the caller's thread
 * alone.
 */
public interface Source {

    /** What an attempt does, and on which replica. */
    record Work(Attempt.Task<?, ?> task, @Nullable Placement placement) {}

    /** The replica that an attempt runs on, told when it starts and when it ends. */
    interface Placement {

        String name();

        void started();

        void ended();
    }

    /** {@return the work of the next attempt, or null if no replica is left} */
    @Nullable
    Work next();

    /** Takes back what {@link #next} gave last, since the attempt could not be started. */
    void giveBack();

    /** {@return how many attempts there is work for at most, the primary included} */
    int most(int maxAttempts);
}
