package dev.hedgescope.samples;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Makes some requests slow, by what makes them slow in life too. One standby at a time has a job that holds a lock, which
 * one query in eighteen needs, and a backend that is not scheduled (it is stopped by a signal), which one query
 * meets; and one origin of one service stalls now and then. The other replica is healthy at that moment.
 */
final class TailMaker implements AutoCloseable {

    private static final Trouble.Millis STANDBY_PAUSES = new Trouble.Millis(60, 200);
    private static final Trouble.Millis STANDBY_TROUBLES = new Trouble.Millis(400, 900);
    private static final Trouble.Millis ORIGIN_PAUSES = new Trouble.Millis(1_200, 2_200);
    private static final Trouble.Millis ORIGIN_STALLS = new Trouble.Millis(500, 900);

    // The pool prefers the connection that came back last: its backend is the one that the next query will meet.
    private static final String NEXT_BACKEND = """
            select pid from pg_stat_activity where application_name = ? and state = 'idle'
            order by state_change desc limit 1""";

    private final PostgresCluster cluster;
    private final PageServices services;
    private final List<Connection> jobs = new ArrayList<>();
    private final CountDownLatch closed = new CountDownLatch(1);
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicReference<Exception> failure = new AtomicReference<>();

    /** Gets ready; each standby's job has a connection of its own. */
    TailMaker(PostgresCluster cluster, PageServices services) throws SQLException {
        this.cluster = cluster;
        this.services = services;
        for (int standby = 0; standby < PostgresCluster.STANDBYS; standby++) {
            jobs.add(cluster.standby(standby).getConnection());
        }
    }

    /** Begins to make trouble, for as long as the load lasts. */
    void begin(long seed, Duration load) {
        List<Trouble> locks = Trouble.schedule(
                seed, load, STANDBY_PAUSES, STANDBY_TROUBLES, PostgresCluster.LOCKS, PostgresCluster.STANDBYS);
        List<Trouble> stalls =
                Trouble.schedule(seed + 1, load, ORIGIN_PAUSES, ORIGIN_STALLS, services.size(), PageServices.ORIGINS);
        long begin = System.nanoTime();
        start("trouble of standbys", () -> troubleStandbys(begin, locks));
        start("trouble of origins", () -> stallOrigins(begin, stalls));
    }

    private interface Step {
        void run() throws SQLException, IOException, InterruptedException;
    }

    private void start(String name, Step step) {
        threads.add(Thread.ofPlatform().daemon().name(name).start(() -> {
            try {
                step.run();
            } catch (SQLException | IOException | InterruptedException trouble) {
                failure.compareAndSet(null, trouble);
            }
        }));
    }

    private void troubleStandbys(long begin, List<Trouble> troubles)
            throws SQLException, IOException, InterruptedException {
        for (Trouble trouble : troubles) {
            if (closedBefore(begin + trouble.at().toNanos())) {
                return;
            }
            long end = begin + trouble.at().plus(trouble.length()).toNanos();
            Connection job = jobs.get(trouble.replica());
            OptionalLong stopped = OptionalLong.empty();
            try (Statement statement = job.createStatement()) {
                statement.execute("select pg_advisory_lock(" + trouble.what() + ")");
                stopped = nextBackend(job);
                if (stopped.isPresent()) {
                    cluster.signals().stop(stopped.getAsLong());
                }
                closedBefore(end);
                statement.execute("select pg_advisory_unlock(" + trouble.what() + ")");
            } finally {
                if (stopped.isPresent()) {
                    cluster.signals().goOn(stopped.getAsLong());
                }
            }
        }
    }

    private static OptionalLong nextBackend(Connection job) throws SQLException {
        try (PreparedStatement query = job.prepareStatement(NEXT_BACKEND)) {
            query.setString(1, Pools.APPLICATION);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
            }
        }
    }

    private void stallOrigins(long begin, List<Trouble> troubles) throws InterruptedException {
        for (Trouble trouble : troubles) {
            if (closedBefore(begin + trouble.at().toNanos())) {
                return;
            }
            services.stall(trouble.what(), trouble.replica(), trouble.length());
        }
    }

    /** Waits until the given time. */
    private boolean closedBefore(long nanoTime) throws InterruptedException {
        return closed.await(nanoTime - System.nanoTime(), TimeUnit.NANOSECONDS);
    }

    /** Ends the trouble: no lock is held and no backend stopped afterwards. */
    @Override
    public void close() throws SQLException {
        closed.countDown();
        boolean interrupted = false;
        for (Thread thread : threads) {
            while (thread.isAlive()) {
                try {
                    thread.join();
                } catch (InterruptedException later) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        for (Connection job : jobs) {
            job.close();
        }
        if (failure.get() != null) {
            throw new IllegalStateException("could not make trouble: " + failure.get(), failure.get());
        }
    }
}
