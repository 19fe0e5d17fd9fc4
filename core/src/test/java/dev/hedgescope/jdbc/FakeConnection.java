package dev.hedgescope.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** One connection of a {@link FakeDatabase}, with its statements. */
final class FakeConnection {

    private final FakeDatabase db;
    private Command running;
    private boolean dead;
    private boolean readOnly;
    private boolean inTransaction;
    private int openStatements;

    /** What runs on the connection. */
    private static final class Command {
        private final Thread thread = Thread.currentThread();
        private final Object owner;
        private boolean killed;

        Command(Object owner) {
            this.owner = owner;
        }
    }

    FakeConnection(FakeDatabase db) {
        this.db = db;
    }

    boolean isDead() {
        return dead;
    }

    /** {@return in which ways it is not as it was lent} */
    List<String> complaints() {
        List<String> all = new ArrayList<>();
        if (running != null) {
            all.add("with a command in progress");
        }
        if (openStatements > 0) {
            all.add("with an open statement");
        }
        if (!dead && readOnly) {
            all.add("read-only");
        }
        if (!dead && inTransaction) {
            all.add("in a transaction");
        }
        return all;
    }

    /** {@return a handle, good until it is closed} */
    Connection handle() {
        boolean[] closed = new boolean[1];
        return FakeDatabase.proxy(Connection.class, (self, method, args) -> {
            if (method.getName().equals("close")) {
                if (!closed[0]) {
                    closed[0] = true;
                    db.event(dead ? "evict" : "return");
                    db.takeBack(this);
                }
                if (db.failsToClose) {
                    throw new SQLException("close failed");
                }
                return null;
            }
            if (closed[0]) {
                throw new SQLException("connection is closed", "08003");
            }
            return onConnection(method, args);
        });
    }

    private Object onConnection(Method method, Object[] args) throws SQLException {
        switch (method.getName()) {
            case "isReadOnly":
                return readOnly;
            case "setReadOnly":
                if (db.refusesReadOnly) {
                    throw new SQLFeatureNotSupportedException("read-only");
                }
                command(this, Duration.ZERO);
                readOnly = (boolean) args[0];
                db.event("read-only " + readOnly);
                return null;
            case "getAutoCommit":
                return db.autoCommit;
            case "rollback":
                db.event("rollback");
                db.onRollback.run();
                command(this, db.rollbackTakes);
                inTransaction = false;
                return null;
            case "prepareStatement", "createStatement":
                command(this, Duration.ZERO);
                return prepare(args == null ? null : (String) args[0]);
            default:
                throw new UnsupportedOperationException(method.getName());
        }
    }

    private PreparedStatement prepare(String sql) {
        boolean[] closed = new boolean[1];
        openStatements++;
        return FakeDatabase.proxy(
                PreparedStatement.class, (self, method, args) -> onStatement(sql, closed, self, method, args));
    }

    private Object onStatement(String sql, boolean[] closed, Object self, Method method, Object[] args)
            throws SQLException {
        switch (method.getName()) {
            case "cancel":
                cancel(closed, self);
                return null;
            case "setQueryTimeout":
                if (db.refusesTimeout) {
                    throw new SQLFeatureNotSupportedException("timeout");
                }
                db.event("timeout " + args[0] + " s");
                return null;
            case "setFetchSize", "setMaxRows", "setLong", "setString":
                db.event(method.getName() + " " + args[args.length - 1]);
                return null;
            case "executeQuery":
                db.sim.sleepUninterruptibly(db.sendTakes);
                db.event("execute");
                inTransaction = !db.autoCommit;
                command(self, db.queryTakes);
                return rows(sql == null ? (String) args[0] : sql, self);
            case "close":
                if (!closed[0]) {
                    closed[0] = true;
                    openStatements--;
                    if (running != null) {
                        db.violations.add("closed a statement with a command in progress");
                    }
                }
                return null;
            default:
                throw new UnsupportedOperationException(method.getName());
        }
    }

    private ResultSet rows(String sql, Object statement) {
        int[] at = new int[1];
        String[] texts = (db.answer == null ? sql : db.answer).split(";", -1);
        return FakeDatabase.proxy(ResultSet.class, (self, method, args) -> switch (method.getName()) {
            case "next" -> {
                command(statement, db.rowTakes);
                yield !texts[0].isEmpty() && at[0]++ < texts.length;
            }
            case "getString" -> texts[at[0] - 1];
            case "getDouble" -> texts[at[0] - 1].equals("null") ? 0 : Double.parseDouble(texts[at[0] - 1]);
            case "wasNull" -> texts[at[0] - 1].equals("null");
            case "getStatement" -> statement;
            case "close" -> null;
            default -> throw new UnsupportedOperationException(method.getName());
        });
    }

    /** A query without ado, and back to the pool. */
    void innocent(Duration time) throws SQLException {
        try {
            command(this, time);
        } finally {
            db.takeBack(this);
        }
    }

    /** A cancel from any thread; it stops whatever runs on the connection when it arrives. */
    private void cancel(boolean[] closed, Object statement) throws SQLException {
        if (closed[0]) {
            throw new SQLException("the statement is closed", "90007");
        }
        db.event("cancel");
        db.cancels++;
        db.sim.sleepUninterruptibly(db.cancelTakes);
        db.cancelFailure.raise();
        Command victim = running;
        if (victim == null) {
            db.cancelsLost++;
        } else if (db.heedsCancel) {
            victim.killed = true;
            db.runtime.unpark(victim.thread);
            if (victim.owner != statement) {
                db.innocentsHit++;
            }
        }
    }

    /** Keeps the connection busy for so long, unless it is cancelled or interrupted. */
    private void command(Object owner, Duration time) throws SQLException {
        if (dead) {
            throw new SQLException("connection is dead", "08003");
        }
        if (running != null) {
            db.violations.add("command in progress");
        }
        Command mine = new Command(owner);
        running = mine;
        long until = db.runtime.nanoTime() + time.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                if (mine.killed) {
                    throw new SQLException("cancelled on request", "57014");
                }
                if (Thread.currentThread().isInterrupted()) {
                    if (db.interruptClosesSocket) {
                        dead = true;
                        throw new SQLException("closed by interrupt", "08006");
                    }
                    interrupted = Thread.interrupted();
                }
                long rest = until - db.runtime.nanoTime();
                if (rest <= 0) {
                    return;
                }
                db.runtime.park(rest);
            }
        } finally {
            running = null;
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
