package dev.hedgescope.jdbc;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofSeconds;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.Replica;
import dev.hedgescope.testing.Simulation;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import javax.sql.DataSource;

/**
 * A database with its pool of connections, in virtual time. A query gives one row with its own text; how long it takes,
 * and how the driver behaves, is in the fields, which a test sets before it uses the pool. What happens on its
 * connections is in {@link #events}, what must never happen in {@link #violations}.
 *
 * <p>As with real drivers a cancel acts on the connection: it stops what runs there when it arrives, and is lost if
 * nothing does.
 */
final class FakeDatabase {

    /** How a cancel fails, if it does. */
    @FunctionalInterface
    interface CancelFailure {

        void raise() throws SQLException;
    }

    final Simulation sim;
    final HedgeRuntime runtime;
    final String name;
    final List<String> events = new ArrayList<>();
    final List<String> violations = new ArrayList<>();

    // How it behaves
    String answer; // what every query gives, rows separated by semicolons, if it is not its own text
    int poolSize = 2;
    Duration poolPatience = ofSeconds(30);
    Duration queryTakes = ZERO;
    Duration rowTakes = ZERO;
    Duration sendTakes = ZERO; // before the query is on its way: a cancel is lost
    Duration rollbackTakes = ZERO;
    Duration cancelTakes = ZERO;
    CancelFailure cancelFailure = () -> {};
    boolean heedsCancel = true;
    boolean interruptClosesSocket = true;
    boolean refusesReadOnly;
    boolean refusesTimeout;
    boolean failsToClose;
    boolean isDown;
    boolean autoCommit = true;
    Runnable onRollback = () -> {};

    // What it has seen
    int created;
    int evicted;
    int lent;
    int cancels;
    int cancelsLost;
    int innocentsHit;

    private final Deque<FakeConnection> idle = new ArrayDeque<>();
    private final Deque<Thread> waiters = new ArrayDeque<>();

    FakeDatabase(Simulation sim, HedgeRuntime runtime, String name) {
        this.sim = sim;
        this.runtime = runtime;
        this.name = name;
    }

    Replica<DataSource> replica() {
        return new Replica<>(name, name, pool());
    }

    /** {@return the pool of its connections} */
    DataSource pool() {
        return proxy(DataSource.class, (self, method, args) -> switch (method.getName()) {
            case "getConnection" -> borrow().handle();
            case "toString" -> name;
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }

    int idle() {
        return idle.size();
    }

    int waiting() {
        return waiters.size();
    }

    /** Keeps a connection for so long and does nothing with it, as the caller does elsewhere. */
    void hold(Duration time) throws SQLException {
        try (Connection connection = borrow().handle()) {
            sim.sleepUninterruptibly(time);
        }
    }

    /** An innocent query of somebody else that takes so long. */
    void query(Duration time) throws SQLException {
        borrow().innocent(time);
    }

    void event(String what) {
        events.add(sim.millis() + " ms " + what);
    }

    /** {@return the events without their times} */
    List<String> happened() {
        return events.stream()
                .map(line -> line.substring(line.indexOf("ms ") + 3))
                .toList();
    }

    private FakeConnection borrow() throws SQLException {
        if (isDown) {
            throw new SQLException("connection refused", "08001");
        }
        long until = runtime.nanoTime() + poolPatience.toNanos();
        Thread me = Thread.currentThread();
        try {
            while (true) {
                if (Thread.interrupted()) {
                    throw new SQLException("interrupted while waiting for a connection", new InterruptedException());
                }
                if (!idle.isEmpty() || created - evicted < poolSize) {
                    break;
                }
                long rest = until - runtime.nanoTime();
                if (rest <= 0) {
                    throw new SQLTransientConnectionException("no connection within " + poolPatience);
                }
                waiters.remove(me);
                waiters.add(me);
                runtime.park(rest);
            }
        } finally {
            waiters.remove(me);
        }
        lent++;
        if (!idle.isEmpty()) {
            return idle.pop();
        }
        created++;
        return new FakeConnection(this);
    }

    /** Takes a connection back, as a pool does that trusts its users. */
    void takeBack(FakeConnection connection) {
        lent--;
        connection.complaints().forEach(words -> violations.add("returned " + words));
        if (connection.isDead()) {
            evicted++;
        } else {
            idle.push(connection);
        }
        List.copyOf(waiters).forEach(runtime::unpark);
    }

    static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(FakeDatabase.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
