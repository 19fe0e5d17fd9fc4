package dev.hedgescope.jdbc;

/** What a driver refused, or what failed when a connection was given back; none of it changes the result of a read. */
public enum ReadIncident {

    /** The driver refused to make the connection read-only; the read went on without. */
    READ_ONLY_REFUSED,

    /** The driver refused the query timeout; the read went on without. */
    TIMEOUT_REFUSED,

    /** The driver refused the fetch size; the read went on without. */
    FETCH_SIZE_REFUSED,

    /** The rollback failed before the connection was given back, as it does on one that an interrupt has closed. */
    ROLLBACK_FAILED,

    /** The connection could not be made writable again before it was given back. */
    RESTORE_FAILED,

    /** The statement or the connection could not be closed. */
    CLOSE_FAILED
}
