package dev.hedgescope.samples;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;

/**
 * A real PostgreSQL: one primary and two streaming hot standbys. Everything they write lies in one private directory.
 * {@link #close()}, or the end of the program by a signal, stops them and deletes it.
 */
final class PostgresCluster implements AutoCloseable {

    /** Rows of the table {@code account}, numbered from 1. */
    static final int ACCOUNTS = 10_000;

    /** Into how many advisory locks the accounts are divided. */
    static final int LOCKS = 18;

    static final int STANDBYS = 2;

    /** How long servers that were told to stop may take to leave. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final String SCHEMA = """
            create table account (id bigint primary key, owner text, cents bigint, work float8);
            insert into account
              select id, 'owner ' || id, id * 37 %% 10007, 0.002 + id * 7919 %% 6000 / 1e6 from generate_series(1, %d) id;
            vacuum analyze account""".formatted(ACCOUNTS);

    private final Path home;
    private final Signals signals = new Signals();
    private final ServerProcesses processes;
    private final List<EmbeddedPostgres> servers = new CopyOnWriteArrayList<>(); // the primary first
    private final CountDownLatch startEnded = new CountDownLatch(1);
    private final ReentrantLock closing = new ReentrantLock();
    private final Thread hook = new Thread(this::stopAll, "stop PostgreSQL");
    private final Thread starter = Thread.currentThread();
    private boolean closed;

    private PostgresCluster(Path home) {
        this.home = home;
        this.processes = new ServerProcesses(home);
    }

    /** {@return a cluster whose standbys stream from the primary} */
    static PostgresCluster start() throws IOException, SQLException, InterruptedException {
        PostgresCluster cluster = new PostgresCluster(Files.createTempDirectory("hedgescope-"));
        Runtime.getRuntime().addShutdownHook(cluster.hook);
        try {
            cluster.startAll();
        } catch (IOException | SQLException | InterruptedException | RuntimeException failure) {
            cluster.startEnded.countDown();
            cluster.close();
            throw failure;
        }
        cluster.startEnded.countDown();
        return cluster;
    }

    private void startAll() throws IOException, SQLException, InterruptedException {
        EmbeddedPostgres primary = startServer("primary");
        try (Connection connection = primary.getPostgresDatabase().getConnection();
                Statement statement = connection.createStatement()) {
            for (String command : SCHEMA.split(";")) {
                statement.execute(command);
            }
            BaseBackup backup = new BaseBackup(home.resolve("primary"), primary.getPort());
            statement.execute("select pg_start_backup('standbys', true, false)");
            for (int number = 0; number < STANDBYS; number++) {
                backup.copyTo(home.resolve(standbyName(number)));
            }
            String label = one(statement, "select labelfile from pg_stop_backup(false, false)");
            for (int number = 0; number < STANDBYS; number++) {
                backup.makeStandby(home.resolve(standbyName(number)), label, standbyName(number));
                startServer(standbyName(number));
            }
            while (Integer.parseInt(
                            one(statement, "select count(*) from pg_stat_replication where state = 'streaming'"))
                    < STANDBYS) {
                Thread.sleep(20);
            }
        }
    }

    private EmbeddedPostgres startServer(String name) throws IOException {
        Redirect log = Redirect.appendTo(home.resolve(name + ".log").toFile());
        EmbeddedPostgres server = EmbeddedPostgres.builder()
                .setOverrideWorkingDirectory(home.resolve("binaries").toFile())
                .setDataDirectory(home.resolve(name))
                .setCleanDataDirectory(false) // a standby's holds the copy already; all are deleted at the end
                .setRegisterShutdownHook(false) // ours knows the order
                .setServerConfig("max_wal_senders", "10")
                .setServerConfig("wal_keep_size", "64MB")
                .setServerConfig("unix_socket_directories", "") // else it would write to /tmp
                .setServerConfig("dynamic_shared_memory_type", "mmap") // else to /dev/shm
                .setErrorRedirector(log)
                .setOutputRedirector(log)
                .setPGStartupWait(Duration.ofSeconds(30))
                .start();
        servers.add(server);
        return server;
    }

    private static String one(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getString(1);
        }
    }

    static String standbyName(int number) {
        return "standby-" + number;
    }

    /** {@return unpooled connections to the primary} */
    DataSource primary() {
        return servers.get(0).getPostgresDatabase();
    }

    /** {@return unpooled connections to a standby} */
    DataSource standby(int number) {
        return servers.get(1 + number).getPostgresDatabase();
    }

    /** {@return where a pool for a standby connects to} */
    String standbyUrl(int number) {
        return servers.get(1 + number).getJdbcUrl("postgres", "postgres");
    }

    /** {@return the way to stop one of the servers' processes for a while} */
    Signals signals() {
        return signals;
    }

    /** {@return the servers' processes} */
    List<ProcessHandle> processes() {
        return processes.servers();
    }

    /** {@return the directory that everything is written to} */
    Path home() {
        return home;
    }

    /** Stops the servers and deletes their directory. Closing twice does nothing. */
    @Override
    public void close() {
        stopAll();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // it runs already, or has run
        }
    }

    /** Also the shutdown hook, which may come while the main thread is still starting servers. */
    private void stopAll() {
        closing.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            signals.close();
            while (!startEnded.await(50, TimeUnit.MILLISECONDS)) {
                starter.interrupt(); // it may be waiting for a server that has gone
                ServerProcesses.end(processes.all(), Duration.ZERO);
            }
            List<ProcessHandle> running = processes.all();
            for (EmbeddedPostgres server : servers.reversed()) {
                server.close();
            }
            ServerProcesses.end(running, PATIENCE);
            Directories.delete(home);
        } catch (IOException | InterruptedException failure) {
            System.err.println("could not clean up " + home + ": " + failure);
        } finally {
            closing.unlock();
        }
    }
}
