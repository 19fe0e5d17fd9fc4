package dev.hedgescope.jdbc;

import dev.hedgescope.Attempt;
import dev.hedgescope.Attempt.Registration;
import dev.hedgescope.Attempt.ReplicaTask;
import dev.hedgescope.internal.time.AttemptTiming;
import dev.hedgescope.internal.time.Nanos;
import dev.hedgescope.jdbc.HedgedReads.Binder;
import dev.hedgescope.jdbc.HedgedReads.ResultSetReader;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Wrapper;
import java.util.concurrent.TimeUnit;
import java.util.stream.BaseStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * What each attempt of a read does, on its own thread: borrow, prepare, execute and read under the cancel hook, close,
 * give back.
 *
 * <p>From borrow to return the interrupt is held back for the policy's grace. Who finds itself cancelled after the hold
 * was made goes no further: the interrupt may have been on its way before.
 *
 * @param <T> the type of the value
 */
record ReadAttempt<T extends @Nullable Object>(
        String sql, Binder binder, ResultSetReader<T> reader, int maxRows, ReadSettings settings, Incidents incidents)
        implements ReplicaTask<DataSource, T, SQLException> {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    @Override
    public T run(Attempt attempt, DataSource pool) throws SQLException, InterruptedException {
        Registration hold = ((AttemptTiming) attempt).holdInterrupt();
        try {
            endIfCancelled(attempt);
            Lease lease = Lease.borrow(pool, incidents);
            try {
                endIfCancelled(attempt);
                if (settings.readOnly()) {
                    lease.makeReadOnly();
                }
                return read(attempt, lease);
            } finally {
                lease.giveBack(attempt.isCancelled());
            }
        } finally {
            hold.close();
        }
    }

    private T read(Attempt attempt, Lease lease) throws SQLException, InterruptedException {
        PreparedStatement statement = lease.connection().prepareStatement(sql);
        try {
            limit(statement, attempt);
            binder.bind(statement);
            return guarded(attempt, statement);
        } finally {
            incidents.contain(ReadIncident.CLOSE_FAILED, statement::close, attempt.isCancelled());
        }
    }

    /** The step that the hook can stop. Not {@code onCancel(hook, step)}: the loop has to hear of its end first. */
    private T guarded(Attempt attempt, PreparedStatement statement) throws SQLException, InterruptedException {
        CancelLoop loop = new CancelLoop(statement, (AttemptTiming) attempt);
        Registration guard = attempt.onCancel(loop);
        try {
            endIfCancelled(attempt);
            try (ResultSet rows = statement.executeQuery()) {
                return materialised(reader.read(rows));
            }
        } finally {
            loop.over();
            guard.close();
        }
    }

    private void limit(PreparedStatement statement, Attempt attempt) throws SQLException {
        long remaining = Nanos.of(attempt.remaining());
        if (remaining != Nanos.FOREVER) {
            incidents.contain(ReadIncident.TIMEOUT_REFUSED, () -> statement.setQueryTimeout(seconds(remaining)));
        }
        if (settings.fetchSize() > 0) {
            incidents.contain(ReadIncident.FETCH_SIZE_REFUSED, () -> statement.setFetchSize(settings.fetchSize()));
        }
        if (maxRows > 0) {
            statement.setMaxRows(maxRows);
        }
    }

    /** {@return the time in seconds, rounded up, and at least one: zero would mean no limit} */
    static int seconds(long nanos) {
        long whole = nanos / SECOND + (nanos % SECOND > 0 ? 1 : 0);
        return Math.clamp(whole, 1, Integer.MAX_VALUE);
    }

    /**
     * {@return the value}
     *
     * @throws IllegalStateException if it is something that ends with the connection
     */
    static <V extends @Nullable Object> V materialised(V value) {
        if (value instanceof Wrapper || value instanceof BaseStream<?, ?>) {
            throw new IllegalStateException("a read must return values, not a "
                    + value.getClass().getName() + ", whose connection has gone back when the call returns");
        }
        return value;
    }

    private static void endIfCancelled(Attempt attempt) throws InterruptedException {
        if (attempt.isCancelled()) {
            throw new InterruptedException(attempt + " is cancelled");
        }
    }
}
