package dev.hedgescope.samples;

import dev.hedgescope.Hedger;
import dev.hedgescope.Replicas;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Hedged reads over standbys: the query of a loser is cancelled on the server, its connection goes back to the pool. */
final class Accounts {

    /** One row. */
    record Account(long id, String owner, long cents) {}

    // As in real life a row may be locked (by a job that holds the exclusive lock), and the query takes a few ms
    // anyway.
    private static final String QUERY = """
            select id, owner, cents, pg_advisory_xact_lock_shared(id % ?), pg_sleep(work)
            from account where id = ?""";

    private final Hedger hedger;
    private final Replicas<DataSource> standbys;

    Accounts(Hedger hedger, Replicas<DataSource> standbys) {
        this.hedger = hedger;
        this.standbys = standbys;
    }

    /** {@return the account} */
    Account find(long id) throws SQLException, InterruptedException {
        return hedger.call(standbys, (attempt, standby) -> {
            try (Connection connection = standby.getConnection();
                    PreparedStatement query = connection.prepareStatement(QUERY)) {
                query.setLong(1, PostgresCluster.LOCKS);
                query.setLong(2, id);
                return attempt.onCancel(query::cancel, () -> read(query.executeQuery()));
            }
        });
    }

    private static Account read(ResultSet rows) throws SQLException {
        if (!rows.next()) {
            throw new SQLException("no such account");
        }
        return new Account(rows.getLong("id"), rows.getString("owner"), rows.getLong("cents"));
    }
}
