package dev.hedgescope;

/** Why a hedge that was due was not started. */
public enum HedgeSkip {
    /** The policy's mode is {@code OFF}. */
    OFF,
    /** The policy's mode is {@code SHADOW}: everything is decided and counted, no hedge is started. */
    SHADOW,
    /** The call belongs to the control group of a roll-out. */
    CONTROL,
    /** The call was made inside an attempt that is a hedge itself. */
    NESTED,
    /** The policy says that the task must not be repeated. */
    NOT_REPEATABLE,
    /** The call outlived the next due time, but has made all its attempts. */
    ATTEMPTS,
    /** The call's deadline came before the hedge was due. */
    DEADLINE,
    /** Not enough is known of the latencies to tell the delay. */
    DELAY_UNKNOWN,
    /** Hedges did not win lately, so fewer are started. */
    BACKED_OFF,
    /** More calls want a hedge than the budget pays for, and this one lost the toss. */
    COIN,
    /** No replica is left that the call has not used. */
    REPLICA,
    /** The budget has less than one token. */
    BUDGET,
    /** The limiter has no permit for a hedge. */
    PERMIT,
    /** The thread could not be started. */
    THREAD,
    /** The hedger is closed. */
    CLOSED
}
