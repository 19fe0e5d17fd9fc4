package dev.hedgescope.jdbc;

import dev.hedgescope.Attempt.CancelHook;
import dev.hedgescope.internal.time.AttemptTiming;
import dev.hedgescope.internal.time.Seam;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The hook that cancels a statement, again and again until its step is over: at 0, 10, 30, 70 ms and so on, each pause
 * twice the one before, as long as the interrupt has not come. A cancel is lost if it comes before the query has been
 * sent, since drivers and servers ignore it on an idle connection.
 *
 * <p>The step says that it is {@linkplain #over over}, <i>then</i> closes the registration of this hook, which waits
 * for a cancel that is being sent: so none reaches the connection's next statement. Here, who waits says so,
 * <i>then</i> looks whether the step is over; who ends the step says so, <i>then</i> looks for who waits.
 */
final class CancelLoop implements CancelHook {

    private static final long FIRST_PAUSE = TimeUnit.MILLISECONDS.toNanos(10);

    private final Statement statement;
    private final AttemptTiming timing;
    private volatile boolean over;
    private volatile @Nullable Thread canceller;

    CancelLoop(Statement statement, AttemptTiming timing) {
        this.statement = statement;
        this.timing = timing;
    }

    /** Says that the guarded step has ended: the hook ends as soon as a cancel in progress has. */
    void over() {
        Seam.at();
        over = true;
        Thread waiting = canceller;
        if (waiting != null) {
            timing.runtime().unpark(waiting);
        }
    }

    /**
     * Runs until the step is over or the interrupt is due.
     *
     * @throws SQLException if the latest cancel failed; one that is not supported is not repeated
     */
    @Override
    public void cancel() throws SQLException {
        canceller = Thread.currentThread();
        long begun = timing.runtime().nanoTime();
        long limit = timing.interruptAfter();
        SQLException failure = null;
        for (long at = 0; at < limit && isDueAfter(begun, at); at = 2 * at + FIRST_PAUSE) {
            failure = cancelOnce();
            if (failure instanceof SQLFeatureNotSupportedException) {
                break;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private @Nullable SQLException cancelOnce() {
        try {
            statement.cancel();
            return null;
        } catch (SQLException thrown) {
            return thrown;
        }
    }

    /** Waits until so long after the beginning. {@return false at once if the step is over} */
    private boolean isDueAfter(long begun, long nanos) {
        while (true) {
            Seam.at();
            if (over) {
                return false;
            }
            long rest = nanos - (timing.runtime().nanoTime() - begun);
            if (rest <= 0) {
                return true;
            }
            timing.runtime().park(rest);
        }
    }
}
