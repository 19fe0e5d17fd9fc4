package dev.hedgescope.jdbc;

/**
 * How reads are done.
 *
 * @param cancelOnly whether losers are never interrupted
 * @param readOnly whether connections are made read-only
 * @param fetchSize the fetch size, 0 for the driver's own
 */
record ReadSettings(boolean cancelOnly, boolean readOnly, int fetchSize) {

    static final ReadSettings DEFAULTS = new ReadSettings(false, true, 0);

    ReadSettings {
        if (fetchSize < 0) {
            throw new IllegalArgumentException("fetchSize must be at least 0, was " + fetchSize);
        }
    }

    ReadSettings withCancelOnly() {
        return new ReadSettings(true, readOnly, fetchSize);
    }

    ReadSettings withoutReadOnly() {
        return new ReadSettings(cancelOnly, false, fetchSize);
    }

    ReadSettings withFetchSize(int rows) {
        return new ReadSettings(cancelOnly, readOnly, rows);
    }
}
