package dev.hedgescope.jdbc;

import static java.util.Objects.requireNonNull;

import dev.hedgescope.Replica;
import dev.hedgescope.Replicas;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import javax.sql.DataSource;

/**
 * Takes replicas out of the order that lag too far behind, for as long as they do:
 *
 * {@snippet :
 * ReplayLag lag = ReplayLag.postgres(replicas, Duration.ofSeconds(5));
 * replicas.available(lag);
 * scheduler.scheduleWithFixedDelay(lag::check, 0, 1, TimeUnit.SECONDS);
 * }
 *
 * <p>{@link #check} asks the databases, on the thread that calls it; {@link #test} only looks at what was found then,
 * since it is asked in the middle of calls. A replica counts as available until a check has found it to lag, and if a
 * check fails it stays as it was: one that is down fails its attempts by itself. If all of them lag, calls are refused.
 */
public final class ReplayLag implements Predicate<Replica<? extends DataSource>> {

    private static final int TIMEOUT_SECONDS = 5;

    /** Nothing left to replay is no lag, however long ago the last transaction was; a primary replays nothing. */
    private static final String POSTGRES = """
            select case
                when not pg_is_in_recovery() or pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
                else extract(epoch from now() - pg_last_xact_replay_timestamp()) end""";

    private final List<? extends Replica<? extends DataSource>> replicas;
    private final Duration limit;
    private final String sql;
    private final Map<String, Duration> found = new ConcurrentHashMap<>();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicBoolean logged = new AtomicBoolean();

    private ReplayLag(Replicas<? extends DataSource> replicas, Duration limit, String sql) {
        this.replicas = replicas.all();
        this.limit = requireNonNull(limit, "limit");
        this.sql = requireNonNull(sql, "sql");
        if (limit.isNegative()) {
            throw new IllegalArgumentException("limit must not be negative, was " + limit);
        }
    }

    /**
     * Makes a check for PostgreSQL: how old the last replayed transaction of a standby is, if it has received more than
     * it has replayed. A standby that receives nothing, because it has lost its primary, looks up to date to it.
     *
     * @param replicas the pools of the databases
     * @param limit the greatest lag at which a standby is used
     * @return the check; give it to {@link Replicas#available}, and call {@link #check} from time to time
     */
    public static ReplayLag postgres(Replicas<? extends DataSource> replicas, Duration limit) {
        return new ReplayLag(replicas, limit, POSTGRES);
    }

    /**
     * Makes a check with a query of one's own.
     *
     * @param replicas the pools of the databases
     * @param limit the greatest lag at which a replica is used
     * @param sql gives the lag in seconds, in the first column of the first row; null or no row is a failed check
     * @return the check
     */
    public static ReplayLag of(Replicas<? extends DataSource> replicas, Duration limit, String sql) {
        return new ReplayLag(replicas, limit, sql);
    }

    /**
     * Asks each replica for its lag, one after the other, on the calling thread; waits for connections and databases.
     * Never throws an exception: what fails is counted, and logged once.
     */
    public void check() {
        for (Replica<? extends DataSource> replica : replicas) {
            try {
                found.put(replica.name(), ask(replica.resource()));
            } catch (SQLException | RuntimeException failed) {
                failures.incrementAndGet();
                if (logged.compareAndSet(false, true)) {
                    Incidents.log(
                            replica.name() + ": its lag could not be read; this is counted, and not logged again",
                            failed);
                }
            }
        }
    }

    private Duration ask(DataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(TIMEOUT_SECONDS);
            try (ResultSet row = statement.executeQuery(sql)) {
                double seconds = row.next() ? row.getDouble(1) : Double.NaN;
                if (Double.isNaN(seconds) || row.wasNull()) {
                    throw new SQLException("the lag is not known");
                }
                return Duration.ofNanos((long) (Math.max(0, seconds) * 1e9));
            }
        }
    }

    /** {@return whether the replica was within the limit when it was last asked, or never answered} */
    @Override
    public boolean test(Replica<? extends DataSource> replica) {
        Duration lag = found.get(replica.name());
        return lag == null || lag.compareTo(limit) <= 0;
    }

    /** {@return the lag of each replica that has answered, by its name, as it was when last asked} */
    public Map<String, Duration> lags() {
        return Map.copyOf(found);
    }

    /** {@return how many replicas could not be asked, over all checks} */
    public long failures() {
        return failures.get();
    }
}
