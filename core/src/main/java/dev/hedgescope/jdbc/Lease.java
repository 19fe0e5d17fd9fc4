package dev.hedgescope.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** A connection from borrow to return, used by one thread; it goes back in the state in which it came. */
final class Lease {

    private final Connection connection;
    private final Incidents incidents;
    private boolean madeReadOnly;

    private Lease(Connection connection, Incidents incidents) {
        this.connection = connection;
        this.incidents = incidents;
    }

    static Lease borrow(DataSource pool, Incidents incidents) throws SQLException {
        Connection connection = pool.getConnection();
        if (connection == null) {
            throw new SQLException(pool + " gave no connection");
        }
        return new Lease(connection, incidents);
    }

    Connection connection() {
        return connection;
    }

    /** Makes the connection read-only, unless it is or the driver refuses. */
    void makeReadOnly() throws SQLException {
        if (!connection.isReadOnly()) {
            madeReadOnly = incidents.contain(ReadIncident.READ_ONLY_REFUSED, () -> connection.setReadOnly(true));
        }
    }

    /**
     * Gives the connection back, after a rollback if it is not in auto-commit mode. An interrupt that has come is put
     * aside meanwhile: it has done what it could, and would now close the channel under a connection that is still
     * good.
     *
     * @param cancelled whether the attempt was cancelled: then it is no news if the connection is broken
     */
    void giveBack(boolean cancelled) {
        boolean interrupted = Thread.interrupted();
        try {
            incidents.contain(ReadIncident.ROLLBACK_FAILED, this::rollBack, cancelled);
            if (madeReadOnly) {
                incidents.contain(ReadIncident.RESTORE_FAILED, () -> connection.setReadOnly(false), cancelled);
            }
        } finally {
            incidents.contain(ReadIncident.CLOSE_FAILED, connection::close, cancelled);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void rollBack() throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }
}
