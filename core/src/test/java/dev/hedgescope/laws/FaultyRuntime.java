package dev.hedgescope.laws;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.laws.Witness.Life;

/**
 * The runtime of one operation: the simulation's, whose threads at times do not start, whose {@code start} at times
 * parks (and so uses up an unpark that was meant for a later park), and which knows whom it interrupted.
 */
final class FaultyRuntime implements HedgeRuntime {

    private final Operation operation;
    private final HedgeRuntime inner;
    private final Witness witness;
    private final boolean parks;

    FaultyRuntime(Operation operation, boolean parks) {
        this.operation = operation;
        this.witness = operation.witness;
        this.inner = witness.sim.runtime();
        this.parks = parks;
    }

    @Override
    public long nanoTime() {
        return inner.nanoTime();
    }

    @Override
    public Thread start(String name, Runnable body) {
        if (operation.closed) {
            witness.violated("L4", "thread " + name + " is started after close");
        }
        if (parks && witness.chance(0.3)) {
            inner.park(1);
        }
        operation.fails("thread start");
        return operation.happens() ? null : inner.start(name, () -> run(body));
    }

    private void run(Runnable body) {
        Life life = witness.mine();
        body.run();
        if (life.tasks != 0) {
            witness.violated("harness", "a thread ends inside a task");
        }
        if (Thread.currentThread().isInterrupted()) {
            witness.violated("L7", "a thread ends with its flag set");
        }
    }

    @Override
    public void park(long nanos) {
        inner.park(nanos);
    }

    @Override
    public void unpark(Thread thread) {
        inner.unpark(thread);
    }

    @Override
    public void interrupt(Thread thread) {
        Life life = witness.life(thread);
        if (life == null || !life.isAttempt) {
            witness.violated("L7", thread.getName() + " is interrupted, which is no attempt");
        } else if (++life.interrupts > 1) {
            witness.violated("L7", thread.getName() + " is interrupted twice");
        }
        inner.interrupt(thread);
    }

    @Override
    public long nextRandom() {
        return inner.nextRandom();
    }
}
