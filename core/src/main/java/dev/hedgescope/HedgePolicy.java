package dev.hedgescope;

import static java.util.Objects.requireNonNull;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * When to hedge, how often, for how long, and what to do with losers: numbers and choices, immutable, compared by
 * value.
 *
 * <p>Durations too long for a {@code long} of nanoseconds (292 years) mean "for ever". What cannot work is refused by
 * {@link Builder#build}, with the field's name and value. Two policies are equal if all fields are; predicates are
 * compared by identity.
 */
public final class HedgePolicy {

    /** The most attempts a call can make, the primary included. */
    public static final int MOST_ATTEMPTS = 10;

    private static final HedgePolicy DEFAULTS = builder().build();

    private final Fields fields;

    private HedgePolicy(Fields fields) {
        this.fields = fields;
    }

    /** {@return the policy in which every field has its default} */
    public static HedgePolicy defaults() {
        return DEFAULTS;
    }

    /** {@return a builder in which every field has its default} */
    public static Builder builder() {
        return new Builder();
    }

    /** {@return a builder that starts with this policy's fields} */
    public Builder toBuilder() {
        return new Builder(fields);
    }

    /** {@return when the next hedge is due; 100 ms after the latest attempt by default} */
    public HedgeDelay delay() {
        return fields.delay;
    }

    /** {@return how many attempts a call makes at most, the primary included; 2 by default} */
    public int maxAttempts() {
        return fields.maxAttempts;
    }

    /** {@return the end of the whole call, all attempts and the wait for a permit together; none by default} */
    public Optional<Duration> deadline() {
        return Optional.ofNullable(fields.deadline);
    }

    /** {@return which failures leave the call open; by default every {@link Exception}} */
    public Predicate<? super Exception> hedgeOn() {
        return fields.hedgeOn;
    }

    /** {@return what a failure does to the schedule; {@link OnFailure#HEDGE_NOW} by default} */
    public OnFailure onFailure() {
        return fields.onFailure;
    }

    /** {@return what closing a call does with attempts that still run; {@link Losers#HAND_OVER} by default} */
    public Losers losers() {
        return fields.losers;
    }

    /** {@return whether losers are interrupted; true by default} */
    public boolean interruptLosers() {
        return fields.interruptLosers;
    }

    /** {@return how long a loser's cancel hooks have before it is interrupted; 100 ms by default} */
    public Duration cancelGrace() {
        return fields.cancelGrace;
    }

    /** {@return how long a primary may wait for a permit; zero, not at all, by default} */
    public Duration permitWait() {
        return fields.permitWait;
    }

    /** {@return whether the task may run more than once; true by default} */
    public boolean repeatable() {
        return fields.repeatable;
    }

    /** {@return whether a call made inside a hedge may hedge; false by default} */
    public boolean nested() {
        return fields.nested;
    }

    /** {@return whether hedging is on; {@link Mode#ACTIVE} by default} */
    public Mode mode() {
        return fields.mode;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HedgePolicy policy && fields.equals(policy.fields);
    }

    @Override
    public int hashCode() {
        return fields.hashCode();
    }

    @Override
    public String toString() {
        return fields.toString().replace("Fields[", "HedgePolicy[");
    }

    /** What a failure that leaves the call open does to the schedule. */
    public enum OnFailure {
        /** It makes the next hedge due at once. */
        HEDGE_NOW,
        /** The next hedge is due at its time, or at once when nothing else runs. */
        KEEP_SCHEDULE
    }

    /** What closing a call does with attempts that still run. */
    public enum Losers {
        /** Cancels them, hands them over to the hedger, and returns now. */
        HAND_OVER,
        /**
         * Cancels them, and returns when the last thread of the call has left: uninterruptibly, and beyond the
         * deadline.
         */
        AWAIT
    }

    /** Whether hedging is on. */
    public enum Mode {
        /** Hedges are started. */
        ACTIVE,
        /** A plain call: no hedge is started, by time or by failure; deadline and limiter stay in force. */
        OFF
    }

    /** All fields, and every check on them. */
    private record Fields(
            HedgeDelay delay,
            int maxAttempts,
            @Nullable Duration deadline,
            Predicate<? super Exception> hedgeOn,
            OnFailure onFailure,
            Losers losers,
            boolean interruptLosers,
            Duration cancelGrace,
            Duration permitWait,
            boolean repeatable,
            boolean nested,
            Mode mode) {

        Fields {
            requireNonNull(delay, "delay");
            requireNonNull(hedgeOn, "hedgeOn");
            requireNonNull(onFailure, "onFailure");
            requireNonNull(losers, "losers");
            requireNonNull(cancelGrace, "cancelGrace");
            requireNonNull(permitWait, "permitWait");
            requireNonNull(mode, "mode");
            check(maxAttempts >= 1, "maxAttempts must be at least 1, was " + maxAttempts);
            check(
                    maxAttempts <= MOST_ATTEMPTS,
                    "maxAttempts must be at most " + MOST_ATTEMPTS + ", was " + maxAttempts);
            check(deadline == null || deadline.isPositive(), "deadline must be more than zero, was " + deadline);
            check(!cancelGrace.isNegative(), "cancelGrace must not be negative, was " + cancelGrace);
            check(!permitWait.isNegative(), "permitWait must not be negative, was " + permitWait);
            check(
                    !(delay instanceof HedgeDelay.Schedule schedule)
                            || schedule.times().size() < maxAttempts,
                    "delay schedule must have fewer times than maxAttempts, was " + delay + " with " + maxAttempts);
        }

        private static void check(boolean condition, String message) {
            if (!condition) {
                throw new IllegalArgumentException(message);
            }
        }
    }

    /** Builds a policy. One builder can build several; a built policy never changes. */
    public static final class Builder {

        private HedgeDelay delay = HedgeDelay.fixed(Duration.ofMillis(100));
        private int maxAttempts = 2;
        private @Nullable Duration deadline;
        private Predicate<? super Exception> hedgeOn = EVERY_EXCEPTION;
        private OnFailure onFailure = OnFailure.HEDGE_NOW;
        private Losers losers = Losers.HAND_OVER;
        private boolean interruptLosers = true;
        private Duration cancelGrace = Duration.ofMillis(100);
        private Duration permitWait = Duration.ZERO;
        private boolean repeatable = true;
        private boolean nested;
        private Mode mode = Mode.ACTIVE;

        /** One object, so that policies with the default are equal. */
        private static final Predicate<Exception> EVERY_EXCEPTION = new Predicate<>() {
            @Override
            public boolean test(Exception failure) {
                return true;
            }

            @Override
            public String toString() {
                return "every Exception";
            }
        };

        private Builder() {}

        private Builder(Fields fields) {
            delay = fields.delay;
            maxAttempts = fields.maxAttempts;
            deadline = fields.deadline;
            hedgeOn = fields.hedgeOn;
            onFailure = fields.onFailure;
            losers = fields.losers;
            interruptLosers = fields.interruptLosers;
            cancelGrace = fields.cancelGrace;
            permitWait = fields.permitWait;
            repeatable = fields.repeatable;
            nested = fields.nested;
            mode = fields.mode;
        }

        /**
         * Sets when the next hedge is due.
         *
         * @param value see {@link HedgeDelay}
         * @return this
         */
        public Builder delay(HedgeDelay value) {
            delay = value;
            return this;
        }

        /**
         * Sets how many attempts a call makes at most.
         *
         * @param value from 1 (no hedge) to {@value #MOST_ATTEMPTS}, the primary included
         * @return this
         */
        public Builder maxAttempts(int value) {
            maxAttempts = value;
            return this;
        }

        /**
         * Sets the end of the whole call: all attempts together, the wait for a permit included.
         *
         * @param value more than zero
         * @return this
         */
        public Builder deadline(Duration value) {
            deadline = requireNonNull(value, "deadline");
            return this;
        }

        /**
         * Sets which failures leave the call open. A failure that the predicate refuses ends the call at once, as an
         * {@link Error} always does. If the predicate throws, that is the call's failure.
         *
         * @param value tells whether a hedge may help; it runs on the attempt's thread
         * @return this
         */
        public Builder hedgeOn(Predicate<? super Exception> value) {
            hedgeOn = value;
            return this;
        }

        /**
         * Sets what a failure does to the schedule.
         *
         * @param value whether the next hedge is due at once
         * @return this
         */
        public Builder onFailure(OnFailure value) {
            onFailure = value;
            return this;
        }

        /**
         * Sets what closing a call does with attempts that still run.
         *
         * @param value whether to wait for them
         * @return this
         */
        public Builder losers(Losers value) {
            losers = value;
            return this;
        }

        /**
         * Sets whether losers are interrupted. Their cancel hooks run in any case.
         *
         * @param value false to never interrupt
         * @return this
         */
        public Builder interruptLosers(boolean value) {
            interruptLosers = value;
            return this;
        }

        /**
         * Sets how long a loser's cancel hooks have before it is interrupted. A loser without a hook is interrupted at
         * once.
         *
         * @param value zero or more
         * @return this
         */
        public Builder cancelGrace(Duration value) {
            cancelGrace = value;
            return this;
        }

        /**
         * Sets how long a primary may wait for a permit, never beyond the deadline.
         *
         * @param value zero to be refused at once
         * @return this
         */
        public Builder permitWait(Duration value) {
            permitWait = value;
            return this;
        }

        /**
         * Sets whether the task may run more than once.
         *
         * @param value false to never hedge
         * @return this
         */
        public Builder repeatable(boolean value) {
            repeatable = value;
            return this;
        }

        /**
         * Sets whether a call made inside a hedge may hedge further down.
         *
         * @param value true to allow it
         * @return this
         */
        public Builder nested(boolean value) {
            nested = value;
            return this;
        }

        /**
         * Switches hedging on or off.
         *
         * @param value the mode
         * @return this
         */
        public Builder mode(Mode value) {
            mode = value;
            return this;
        }

        /**
         * Builds the policy.
         *
         * @return the policy
         * @throws IllegalArgumentException if a field cannot work; the message names it
         * @throws NullPointerException if a field was set to null; the message names it
         */
        public HedgePolicy build() {
            return new HedgePolicy(new Fields(
                    delay,
                    maxAttempts,
                    deadline,
                    hedgeOn,
                    onFailure,
                    losers,
                    interruptLosers,
                    cancelGrace,
                    permitWait,
                    repeatable,
                    nested,
                    mode));
        }
    }
}
