package dev.hedgescope;

import org.jspecify.annotations.Nullable;

/**
 * What a call throws on its own account; what the task throws comes out as it is, save from {@link HedgeScope#join}.
 */
public abstract sealed class HedgeException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private HedgeException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * The task failed in every attempt, or fatally in one. Thrown by {@link HedgeScope#join} alone, which cannot know
     * the task's own type.
     */
    public static final class Failed extends HedgeException {

        private static final long serialVersionUID = 1;

        /**
         * Makes the exception.
         *
         * @param message what happened
         * @param cause what the task threw
         */
        public Failed(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * No acceptable result came within the call's deadline. The failures of its attempts so far are suppressed
     * exceptions.
     */
    public static final class TimedOut extends HedgeException {

        private static final long serialVersionUID = 1;

        /**
         * Makes the exception.
         *
         * @param message who, how long, one clause per attempt
         */
        public TimedOut(String message) {
            super(message, null);
        }
    }

    /** The limiter had no permit for the primary. The task did not run. */
    public static final class Refused extends HedgeException {

        private static final long serialVersionUID = 1;

        /**
         * Makes the exception.
         *
         * @param message who, how many permits are held, by whom
         */
        public Refused(String message) {
            super(message, null);
        }
    }
}
