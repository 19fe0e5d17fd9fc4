package dev.hedgescope.testing;

import dev.hedgescope.internal.time.Nanos;
import dev.hedgescope.internal.time.Seam;
import dev.hedgescope.testing.SimThread.State;
import dev.hedgescope.testing.Timers.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs the threads of one simulation, one at a time, and moves its clock.
 *
 * <pre>
 *            start              chosen               body left
 *      NEW ────────► RUNNABLE ──────────► RUNNING ──────────────► ENDED
 *                     ▲    ▲               │   │
 *                     │    └───────────────┘   │ park, sleep, join, fault
 *                     │       preempted        ▼
 *                     └──────────── PARKED, SLEEPING, JOINING, STALLED
 *                        unpark, interrupt, timer, end of the other
 * </pre>
 *
 * <p>The <em>baton</em> is the right to run. Whoever holds it, and nobody else, reads and writes what is in here, so
 * nothing is locked. A thread gives it away at a point, when it blocks, and when it ends: it chooses the next thread,
 * sets that thread's {@link SimThread#turn}, and waits for its own. What it did before happens-before what the next one
 * does.
 *
 * <p>When no thread is runnable the clock jumps to the earliest timer, and every thread whose timer is due becomes
 * runnable. If there is no timer, that is a deadlock.
 *
 * <p>While a thread waits for the baton its real interrupt flag is clear, since a real park with the flag set returns
 * at once and would spin. {@link SimThread#interrupted} stands for it, and the flag is set again when the baton comes.
 *
 * <p>Two fields are read without the baton, and volatile for it: {@code running}, by the {@link Supervisor} and by
 * strangers, who compare it with themselves and never find themselves; {@code silent}, which the supervisor sets and
 * the next point clears.
 */
final class Scheduler {

    static {
        Seam.onPoint(Scheduler::pointOfCurrentThread);
    }

    private final SimulationOptions options;
    private final Chooser chooser;
    private final Faults faults;
    private final Supervisor supervisor;

    private final List<SimThread> runnable = new ArrayList<>();
    private final Set<SimThread> alive = new LinkedHashSet<>();
    private final Timers timers = new Timers();
    private final List<String> transcript = new ArrayList<>();
    private volatile @Nullable SimThread running;
    private volatile boolean silent;
    private int threadsStarted;
    private long origin;
    private long points;
    private long pointsBeforeInstant;
    private long lastPoint = Long.MAX_VALUE;
    private long switches;
    private long fingerprint;

    Scheduler(long seed, SimulationOptions options, Chooser chooser, Faults faults) {
        this.options = options;
        this.chooser = chooser;
        this.faults = faults;
        this.supervisor = new Supervisor(this, seed, options.watchdog);
        this.origin = options.firstNanoTime;
    }

    private static void pointOfCurrentThread() {
        SimThread me = Roster.find(Thread.currentThread());
        if (me != null) {
            me.scheduler.point();
        }
    }

    // What the supervisor asks, on the thread that called the simulation.

    /** Runs the body as the thread {@code main}, and whatever it starts, until the last thread has ended. */
    Simulation.Result run(Simulation.Action body) {
        SimThread main = add("main", () -> {
            body.run();
            lastPoint = points + options.pointsAfterwards;
        });
        give(main);
        supervisor.awaitEnd();
        return new Simulation.Result(
                supervisor.seed(), transcript(), Duration.ofNanos(timers.elapsed()), points, switches, fingerprint);
    }

    /** {@return whether there was no point since the last time it was asked} */
    boolean isSilent() {
        boolean wasSilent = silent;
        silent = true;
        return wasSilent;
    }

    @Nullable
    SimThread running() {
        return running;
    }

    /** Lets a thread of a failed simulation die, and waits for it a little. */
    void bury(SimThread thread) throws InterruptedException {
        thread.turn = true;
        LockSupport.unpark(thread.thread);
        thread.thread.join(100);
    }

    // What the running thread asks.

    /** A point at which the running thread may lose its turn, or be held up by a fault. */
    void point() {
        SimThread me = me();
        count();
        long stall = faults.stall();
        if (stall > 0) {
            block(me, State.STALLED, stall);
            return;
        }
        if (runnable.isEmpty()) {
            return;
        }
        int choice = chooser.choose(runnable.size() + 1, true);
        if (choice > 0) {
            SimThread next = runnable.remove(choice - 1);
            me.state = State.RUNNABLE;
            runnable.add(me);
            handOver(me, next);
        }
    }

    /** The clock that the code under test sees. */
    long nanoTime() {
        me();
        return origin + timers.elapsed();
    }

    /** Virtual nanoseconds since the start, whatever the clock says. */
    long elapsed() {
        me();
        return timers.elapsed();
    }

    void jumpClock(long nanos) {
        me();
        origin += nanos;
    }

    void log(String text) {
        me();
        transcript.add(millis() + " ms " + text);
    }

    List<String> transcript() {
        return List.copyOf(transcript);
    }

    Thread start(String name, Simulation.Action body) {
        me();
        SimThread thread = add(name, body);
        runnable.add(thread);
        return thread.thread;
    }

    void park(long nanos) {
        SimThread me = me();
        if (nanos <= 0) {
            return;
        }
        if (me.permit) {
            me.permit = false;
            return;
        }
        if (Thread.currentThread().isInterrupted()) {
            return;
        }
        long wait = faults.park(nanos);
        if (wait > 0) {
            block(me, State.PARKED, wait);
            me.permit = false;
        }
    }

    void unpark(Thread thread, long lateness) {
        me();
        SimThread target = Roster.find(thread, this);
        if (target == null) {
            LockSupport.unpark(thread);
        } else if (lateness == 0) {
            unpark(target);
        } else {
            timers.set(target, lateness, Timers.UNPARK);
        }
    }

    void interrupt(Thread thread) {
        SimThread me = me();
        SimThread target = Roster.find(thread, this);
        if (target == null || target == me) {
            thread.interrupt();
            return;
        }
        target.interrupted = true;
        if (target.state.isInterruptible()) {
            wake(target);
        }
    }

    /** Sleeps, whatever the flag says, or until interrupted; the flag is the caller's to look at. */
    void sleep(long nanos, boolean interruptibly) {
        SimThread me = me();
        if (nanos > 0) {
            block(me, interruptibly ? State.SLEEPING : State.STALLED, nanos);
        }
    }

    /** Waits for the end of the thread, or until interrupted; the flag is the caller's to look at. */
    void join(Thread thread) {
        SimThread me = me();
        SimThread target = Roster.find(thread, this);
        if (target != null) {
            target.joiners.add(me);
            block(me, State.JOINING, Nanos.FOREVER);
            target.joiners.remove(me);
        }
    }

    /** {@return a thread other than the caller that has not ended, the oldest, or null if there is none} */
    @Nullable
    Thread another() {
        SimThread me = me();
        for (SimThread each : alive) {
            if (each != me) {
                return each.thread;
            }
        }
        return null;
    }

    // States and transitions.

    private SimThread add(String name, Simulation.Action body) {
        SimThread thread = new SimThread(this, threadsStarted++, name, body);
        thread.thread.start();
        Roster.add(thread);
        alive.add(thread);
        return thread;
    }

    /** The life of a thread, on that thread. */
    void runBody(SimThread me, Simulation.Action body) {
        try {
            take(me);
            body.run();
            end(me);
        } catch (Abandoned e) {
            // its simulation has failed, and says so to its caller
        } catch (Throwable e) {
            supervisor.fail("thread '" + me.thread.getName() + "' threw " + e, e);
        } finally {
            Roster.remove(me);
        }
    }

    private void end(SimThread me) {
        me();
        me.state = State.ENDED;
        alive.remove(me);
        Roster.remove(me);
        me.joiners.forEach(each -> {
            if (each.state == State.JOINING) {
                wake(each);
            }
        });
        if (alive.isEmpty()) {
            supervisor.end();
        } else {
            give(next());
        }
    }

    private void block(SimThread me, State state, long nanos) {
        me.state = state;
        timers.set(me, nanos, me.wakeUps);
        SimThread next = next();
        if (next == me) {
            me.state = State.RUNNING;
        } else {
            handOver(me, next);
        }
    }

    private void wake(SimThread thread) {
        thread.wakeUps++;
        thread.state = State.RUNNABLE;
        runnable.add(thread);
    }

    private void unpark(SimThread thread) {
        thread.permit = true;
        if (thread.state == State.PARKED) {
            wake(thread);
        }
    }

    /** Chooses who runs after a thread that cannot. */
    private SimThread next() {
        while (runnable.isEmpty()) {
            moveTime();
        }
        return runnable.remove(runnable.size() == 1 ? 0 : chooser.choose(runnable.size(), false));
    }

    private void moveTime() {
        if (!timers.advance()) {
            throw supervisor.fail("deadlock at " + millis() + " ms: no thread can run and no timer is set");
        }
        pointsBeforeInstant = points;
        for (Timer due = timers.pollDue(); due != null; due = timers.pollDue()) {
            if (due.wakeUp() == Timers.UNPARK) {
                unpark(due.thread());
            } else {
                wake(due.thread());
            }
        }
    }

    private void handOver(SimThread me, SimThread next) {
        me.interrupted = Thread.interrupted();
        give(next);
        take(me);
    }

    private void give(SimThread next) {
        switches++;
        fingerprint = (fingerprint + timers.elapsed()) * 0x9E3779B97F4A7C15L + next.number;
        if (options.logSwitches) {
            transcript.add(millis() + " ms → " + next.thread.getName());
        }
        next.state = State.RUNNING;
        running = next;
        next.turn = true;
        LockSupport.unpark(next.thread);
    }

    /** Waits for the baton; an interrupt of the real thread meanwhile is kept for when it has come. */
    private void take(SimThread me) {
        boolean interruptedFromOutside = false;
        while (!me.turn) {
            LockSupport.park(this);
            interruptedFromOutside |= Thread.interrupted();
        }
        me.turn = false;
        if (supervisor.hasFailed()) {
            throw new Abandoned();
        }
        if (me.interrupted || interruptedFromOutside) {
            me.interrupted = false;
            Thread.currentThread().interrupt();
        }
    }

    private long millis() {
        return timers.elapsed() / 1_000_000;
    }

    private SimThread me() {
        SimThread me = running;
        if (supervisor.hasFailed()) {
            dieIfSimulated();
        }
        if (me == null || me.thread != Thread.currentThread()) {
            throw new IllegalStateException("'" + Thread.currentThread().getName()
                    + "' is not a thread of this simulation; Simulation.start makes one");
        }
        return me;
    }

    /**
     * Ends the calling thread, for its simulation has failed; should it catch even that in a loop, stops it for good.
     */
    private void dieIfSimulated() {
        SimThread dying = Roster.find(Thread.currentThread());
        if (dying != null) {
            while (dying.deaths >= 1_000) {
                LockSupport.park(this);
                Thread.interrupted();
            }
            dying.deaths++;
            throw new Abandoned();
        }
    }

    private void count() {
        if (silent) {
            silent = false;
        }
        points++;
        if (points - pointsBeforeInstant > options.pointsPerInstant) {
            throw supervisor.fail("livelock at " + millis() + " ms: more than " + options.pointsPerInstant
                    + " points and time does not move");
        }
        if (points > lastPoint) {
            throw supervisor.fail("still running at " + millis() + " ms, " + options.pointsAfterwards
                    + " points after the body has returned");
        }
    }
}
