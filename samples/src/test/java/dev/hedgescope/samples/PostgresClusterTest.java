package dev.hedgescope.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** One cluster for all that is asked of it, since starting one takes seconds. */
class PostgresClusterTest {

    @Test
    void two_standbys_stream_refuse_writes_and_leave_nothing_behind() throws Exception {
        Path home;
        List<ProcessHandle> servers;

        try (PostgresCluster cluster = PostgresCluster.start()) {
            home = cluster.home();
            servers = cluster.processes();
            assertThat(home).isDirectory();
            // Workers come and go, so one that was listed may have ended since; the three servers stay.
            assertThat(servers).filteredOn(ServerProcesses::isRunning).hasSizeGreaterThanOrEqualTo(3);

            assertThat(one(
                            cluster.primary(),
                            "select string_agg(application_name || ' ' || state, ', ' order by application_name)"
                                    + " from pg_stat_replication"))
                    .isEqualTo("standby-0 streaming, standby-1 streaming");
            for (int number = 0; number < PostgresCluster.STANDBYS; number++) {
                DataSource standby = cluster.standby(number);
                assertThat(one(standby, "select count(*) from account"))
                        .isEqualTo(Integer.toString(PostgresCluster.ACCOUNTS));
                SQLException refused = catchThrowableOfType(
                        SQLException.class, () -> one(standby, "delete from account returning id"));
                assertThat(refused.getSQLState()).isEqualTo("25006");
            }
            stopOneBackendAndForgetIt(cluster);
        }

        assertThat(home).doesNotExist();
        assertThat(servers).noneMatch(ServerProcesses::isRunning);
    }

    private static void stopOneBackendAndForgetIt(PostgresCluster cluster) throws Exception {
        try (Connection connection = cluster.standby(0).getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("select pg_backend_pid()")) {
            rows.next();
            cluster.signals().stop(rows.getLong(1));
        }
    }

    private static String one(DataSource database, String query) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
