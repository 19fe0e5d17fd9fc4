package dev.hedgescope.jdbc;

import static java.util.Objects.requireNonNull;

import dev.hedgescope.HedgeException;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.Hedger;
import dev.hedgescope.Replicas;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Hedged queries over interchangeable databases, each with its pool of connections. Make one long-lived object for a
 * hedger and a set of replicas; any thread may use it.
 *
 * {@snippet :
 * HedgedReads reads = HedgedReads.over(hedger, replicas);
 * List<Account> rows = reads.query("select id, owner from account where id = ?", q -> q.setLong(1, id), Account::read);
 * }
 *
 * <p><b>What an attempt does.</b> It borrows a connection of its replica's pool, makes it read-only where the driver
 * allows it, prepares the statement with a query timeout of what is left of the deadline, rounded up to whole seconds
 * (none without a deadline), executes it, reads the rows, closes the statement, rolls back if auto-commit is off,
 * undoes the read-only mode, and gives the connection back: all on its own thread. A binder, mapper or reader runs once
 * in each attempt, maybe in several at once, and must not keep or share what it is handed.
 *
 * <p><b>How a loser is stopped.</b> By {@link java.sql.Statement#cancel}, from another thread, while it executes or
 * reads its rows and at no other time: a late cancel would hit the connection's next statement. A cancel that comes
 * before the query was sent is lost, so it is repeated, after 10, 30, 70 ms and so on, until the query has ended or the
 * policy's grace is over. From borrow to return no interrupt comes before the end of that grace, not even while the
 * attempt waits for a connection. After a cancel the connection goes back to its pool intact. After an interrupt a
 * driver that uses sockets has lost it, and a good pool replaces it, while the server works on.
 *
 * <p><b>Embedded databases.</b> An interrupt closes a {@link java.nio.channels.FileChannel} for all who use it, and
 * does not stop a query that computes: use {@link #cancelOnly}.
 *
 * <p><b>Replicas of different age.</b> Replicas lag behind by different times, and each attempt reads what its own one
 * knows: a read may not see what was written just before, and two reads in a row may go back in time. Read what has to
 * be fresh from the primary database, unhedged. {@link ReplayLag} takes standbys out that are too far behind.
 *
 * <p><b>Writes.</b> There is no method for them. An attempt that lost may have written all the same, and a cancel does
 * not tell whether it has. A write that has to be hedged needs a key of its own, made by the caller before the call,
 * the same in all attempts, under which the server does it once: a unique column and {@code insert ... on conflict do
 * nothing}, for instance. Do that with {@link Hedger#call}; all attempts have to reach the same database. The read-only
 * mode is a help against mistakes and not a wall: some drivers refuse it, some take it as a hint, and PostgreSQL's
 * enforces it only if auto-commit is off, or with {@code readOnlyMode=always}.
 */
public final class HedgedReads {

    private static final String MORE_THAN_ONE = "21000"; // cardinality violation, in standard SQL

    private final Hedger hedger;
    private final Replicas<? extends DataSource> replicas;
    private final ReadSettings settings;
    private final Incidents incidents;
    private volatile @Nullable Uninterrupted uninterrupted;

    private HedgedReads(
            Hedger hedger, Replicas<? extends DataSource> replicas, ReadSettings settings, Incidents incidents) {
        this.hedger = hedger;
        this.replicas = replicas;
        this.settings = settings;
        this.incidents = incidents;
    }

    /** A policy, and the same without interrupts. */
    private record Uninterrupted(HedgePolicy original, HedgePolicy policy) {}

    /** Sets the parameters of a query. */
    @FunctionalInterface
    public interface Binder {

        /**
         * Sets the parameters, once in each attempt.
         *
         * @param query the statement
         * @throws SQLException if the driver says so
         */
        void bind(PreparedStatement query) throws SQLException;
    }

    /**
     * Makes a value of a row.
     *
     * @param <T> the value's type
     */
    @FunctionalInterface
    public interface RowMapper<T extends @Nullable Object> {

        /**
         * Makes the value of the row that the result set is at.
         *
         * @param row the result set; do not move it
         * @return the value
         * @throws SQLException if the driver says so
         */
        T map(ResultSet row) throws SQLException;
    }

    /**
     * Makes a value of a whole result set.
     *
     * @param <T> the value's type
     */
    @FunctionalInterface
    public interface ResultSetReader<T extends @Nullable Object> {

        /**
         * Reads the result set, which is closed afterwards.
         *
         * @param rows the result set, before its first row
         * @return the value; nothing that needs the connection
         * @throws SQLException if the driver says so
         */
        T read(ResultSet rows) throws SQLException;
    }

    /**
     * Makes hedged reads.
     *
     * @param hedger the hedger, which stays the caller's to close
     * @param replicas the pools of the databases; a {@code DataSource} without a pool works too, at the cost of a
     *     connection for each attempt
     * @return the reads
     */
    public static HedgedReads over(Hedger hedger, Replicas<? extends DataSource> replicas) {
        return new HedgedReads(
                requireNonNull(hedger, "hedger"),
                requireNonNull(replicas, "replicas"),
                ReadSettings.DEFAULTS,
                new Incidents(hedger.name()));
    }

    /**
     * {@return the same reads, but their losers are never interrupted: a query that its cancel does not stop runs to
     * its end} For databases inside this process that work on files. The cancel is then repeated, at doubling
     * distances, for as long as the query runs.
     */
    public HedgedReads cancelOnly() {
        return with(settings.withCancelOnly());
    }

    /** {@return the same reads, but they leave the connections' read-only mode as it is} */
    public HedgedReads leaveReadOnly() {
        return with(settings.withoutReadOnly());
    }

    /**
     * Sets how many rows the driver fetches at a time; a hint, which some drivers heed only if auto-commit is off.
     *
     * @param rows the number of rows; 0 leaves it to the driver
     * @return the same reads with that fetch size
     * @throws IllegalArgumentException if it is negative
     */
    public HedgedReads fetchSize(int rows) {
        return with(settings.withFetchSize(rows));
    }

    private HedgedReads with(ReadSettings other) {
        return new HedgedReads(hedger, replicas, other, incidents);
    }

    /**
     * Runs a query, hedged, and makes a list of its rows.
     *
     * @param sql a query that changes nothing
     * @param binder sets its parameters
     * @param mapper makes a value of each row
     * @param <T> the type of a row's value
     * @return the values, unmodifiable
     * @throws SQLException if no attempt succeeds: what the first one threw
     * @throws InterruptedException as {@link #read}
     * @throws HedgeException as {@link #read}
     */
    public <T extends @Nullable Object> List<T> query(String sql, Binder binder, RowMapper<T> mapper)
            throws SQLException, InterruptedException {
        requireNonNull(mapper, "mapper");
        return run(sql, binder, 0, rows -> {
            List<T> all = new ArrayList<>();
            while (rows.next()) {
                all.add(ReadAttempt.materialised(mapper.map(rows)));
            }
            return Collections.unmodifiableList(all);
        });
    }

    /**
     * Runs a query, hedged, that gives one row or none.
     *
     * @param sql a query that changes nothing
     * @param binder sets its parameters
     * @param mapper makes a value of the row
     * @param <T> the type of the row's value
     * @return the value; empty if there is no row, or if the value is null
     * @throws SQLException as {@link #query}; with the SQL state 21000 if there is more than one row
     * @throws InterruptedException as {@link #read}
     * @throws HedgeException as {@link #read}
     */
    public <T> Optional<T> queryOne(String sql, Binder binder, RowMapper<? extends @Nullable T> mapper)
            throws SQLException, InterruptedException {
        requireNonNull(mapper, "mapper");
        return run(sql, binder, 2, rows -> {
            if (!rows.next()) {
                return Optional.empty();
            }
            T value = ReadAttempt.materialised(mapper.map(rows));
            if (rows.next()) {
                throw new SQLException("more than one row: " + sql, MORE_THAN_ONE);
            }
            return Optional.ofNullable(value);
        });
    }

    /**
     * Runs a query, hedged, and reads its result set inside the attempt.
     *
     * @param sql a query that changes nothing
     * @param binder sets its parameters
     * @param reader reads the result set
     * @param <T> the type of the value
     * @return what the reader returned
     * @throws SQLException if no attempt succeeds: what the first one threw
     * @throws InterruptedException if the caller is interrupted before the call is decided
     * @throws HedgeException past the deadline, or without a permit or an available replica
     * @throws IllegalStateException if the hedger is closed, or the reader returns something that needs the connection:
     *     a result set, a stream
     */
    public <T extends @Nullable Object> T read(String sql, Binder binder, ResultSetReader<T> reader)
            throws SQLException, InterruptedException {
        return run(sql, binder, 0, requireNonNull(reader, "reader"));
    }

    private <T extends @Nullable Object> T run(String sql, Binder binder, int maxRows, ResultSetReader<T> reader)
            throws SQLException, InterruptedException {
        requireNonNull(sql, "sql");
        requireNonNull(binder, "binder");
        return hedger.call(policy(), replicas, new ReadAttempt<>(sql, binder, reader, maxRows, settings, incidents));
    }

    private HedgePolicy policy() {
        HedgePolicy now = hedger.policy();
        if (!settings.cancelOnly() || !now.interruptLosers()) {
            return now;
        }
        Uninterrupted known = uninterrupted;
        if (known == null || known.original != now) {
            known = new Uninterrupted(
                    now, now.toBuilder().interruptLosers(false).build());
            uninterrupted = known;
        }
        return known.policy;
    }

    /** {@return how often what happened, for those that happened; copies with other options count together} */
    public Map<ReadIncident, Long> incidents() {
        return incidents.counted();
    }

    @Override
    public String toString() {
        return "HedgedReads[" + hedger.name() + " over " + replicas + ", " + settings + "]";
    }
}
