package dev.hedgescope.internal.race;

import dev.hedgescope.Attempt.CancelHook;
import dev.hedgescope.Attempt.Registration;
import dev.hedgescope.internal.time.Nanos;
import dev.hedgescope.internal.time.Seam;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * How one attempt is being stopped: its hooks, and when it was told. Made when the first hook is registered, or when
 * the attempt is cancelled while it runs.
 *
 * <p>A hook is <i>armed</i>, then either disarmed by its owner, or taken by the hook thread and <i>in progress</i>,
 * then done. Who disarms a hook that is in progress waits for it. There is at most one hook thread at a time; it takes
 * the newest armed hook, and ends when none is left.
 *
 * <p>Two orders leave no hook behind: {@code add} arms the hook, <i>then</i> looks whether the attempt is cancelled;
 * who cancels decides the call, <i>then</i> looks for armed hooks. And no thread is started behind the attempt's back:
 * it is added to the registry, <i>then</i> looks whether the attempt has left; the attempt says that it has left,
 * <i>then</i> leaves the registry.
 *
 * <p>All fields are guarded by the lock. No verb of the runtime and no code of the user runs while it is held.
 */
final class Cancellation {

    private final AttemptRun attempt;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Armed> armed = new ArrayDeque<>();
    private @Nullable Armed inProgress;
    private @Nullable HookRun hookRun;
    private final List<Thread> waiting = new ArrayList<>();
    private int holds;
    private boolean begun;
    private boolean left;
    private long cancelledAt;
    private boolean reported;

    Cancellation(AttemptRun attempt) {
        this.attempt = attempt;
    }

    AttemptRun attempt() {
        return attempt;
    }

    // Telling it to stop

    /** Starts to stop the attempt; does nothing if that was begun before or the attempt has left its task. */
    void begin() {
        Core core = attempt.core();
        long now = core.runtime.nanoTime();
        Seam.at();
        lock.lock();
        try {
            if (begun || hasLeftTask()) {
                return;
            }
            begun = true;
            cancelledAt = now;
        } finally {
            lock.unlock();
        }
        Thread thread = attempt.thread();
        if (thread != null) {
            thread.setName(core.threadName(attempt.number()) + " of call " + attempt.callId());
        }
        boolean interrupts = attempt.call().policy.interruptLosers();
        boolean hooked = fire();
        if (interrupts && !hooked) {
            attempt.interrupt();
        }
        long grace = Nanos.of(attempt.call().policy.cancelGrace());
        core.watch.add(this, now, interrupts && hooked ? grace : Nanos.FOREVER);
    }

    /** Lets the armed hooks run. {@return whether the interrupt has to wait: for a hook thread, or because of a hold} */
    private boolean fire() {
        HookRun run;
        Seam.at();
        lock.lock();
        try {
            if (hasLeftTask()) {
                return false;
            }
            if (armed.isEmpty() && inProgress == null) {
                return holds > 0;
            }
            if (hookRun != null) {
                return true;
            }
            hookRun = run = new HookRun();
        } finally {
            lock.unlock();
        }
        Core core = attempt.core();
        core.registry.add(run);
        if (!hasLeft() && core.start(run, core.threadName(attempt.number()) + " cancel hook")) {
            return true;
        }
        Seam.at();
        lock.lock();
        try {
            hookRun = null;
        } finally {
            lock.unlock();
        }
        core.registry.leave(run);
        return false;
    }

    // Hooks

    Registration add(CancelHook hook) {
        Armed added = new Armed(hook);
        Seam.at();
        lock.lock();
        try {
            if (hasLeftTask()) {
                return added;
            }
            armed.addLast(added);
        } finally {
            lock.unlock();
        }
        if (attempt.isCancelled()) {
            fire();
        }
        return added;
    }

    /** A registered hook. */
    private final class Armed implements Registration {

        private final CancelHook hook;

        Armed(CancelHook hook) {
            this.hook = hook;
        }

        @Override
        public void close() {
            Seam.at();
            lock.lock();
            try {
                if (armed.removeLastOccurrence(this) || inProgress != this) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            if (!(Registry.Member.current() instanceof HookRun run && run.owner() == Cancellation.this)) {
                await(this);
            }
        }
    }

    /** {@return what has the interrupt wait for the grace as a hook has, and runs nothing} */
    Registration hold() {
        Seam.at();
        lock.lock();
        try {
            holds++;
        } finally {
            lock.unlock();
        }
        return new Hold();
    }

    private final class Hold implements Registration {

        private boolean closed;

        @Override
        public void close() {
            Seam.at();
            lock.lock();
            try {
                if (!closed) {
                    closed = true;
                    holds--;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Waits until the hook is not in progress, uninterruptibly. */
    private void await(Armed hook) {
        Thread me = Thread.currentThread();
        boolean interrupted = false;
        while (enrol(me, hook)) {
            interrupted |= Thread.interrupted();
            attempt.core().runtime.park(Nanos.FOREVER);
        }
        if (interrupted) {
            me.interrupt();
        }
    }

    private boolean enrol(Thread thread, Armed hook) {
        Seam.at();
        lock.lock();
        try {
            waiting.remove(thread);
            return inProgress == hook && waiting.add(thread);
        } finally {
            lock.unlock();
        }
    }

    /** The thread on which the hooks of this attempt run. */
    private final class HookRun extends Registry.Member {

        HookRun() {
            super(attempt.call());
        }

        Cancellation owner() {
            return Cancellation.this;
        }

        @Override
        Core core() {
            return attempt.core();
        }

        @Override
        public void run() {
            begin();
            for (Armed next = take(); next != null; next = take()) {
                Seam.at();
                try {
                    core().tally.hooksRun.increment();
                    next.hook.cancel();
                } catch (Throwable thrown) {
                    core().tally.hooksFailed.increment();
                    core().collaborators.failed(Collaborators.Kind.HOOK, thrown);
                }
                Seam.at();
                done();
            }
            core().registry.leave(this);
        }

        @Override
        public void uncaughtException(Thread thread, Throwable thrown) {
            core().collaborators.failed(Collaborators.Kind.THREAD, thrown);
        }
    }

    private @Nullable Armed take() {
        Seam.at();
        lock.lock();
        try {
            inProgress = armed.pollLast();
            if (inProgress == null) {
                hookRun = null;
            }
            return inProgress;
        } finally {
            lock.unlock();
        }
    }

    private void done() {
        List<Thread> wake;
        Seam.at();
        lock.lock();
        try {
            inProgress = null;
            wake = List.copyOf(waiting);
        } finally {
            lock.unlock();
        }
        wake.forEach(attempt.core().runtime::unpark);
    }

    // Leaving

    /** Disarms every hook, and waits for one in progress; the attempt's own thread, when it has left its task. */
    void leave() {
        Core core = attempt.core();
        Armed last;
        Seam.at();
        lock.lock();
        try {
            left = true;
            armed.clear();
            last = inProgress;
        } finally {
            lock.unlock();
        }
        if (last != null) {
            await(last);
        }
        if (isBegun()) {
            core.tally.exited(core.runtime.nanoTime() - cancelledAt);
            core.watch.remove(this);
        }
    }

    /**
     * An attempt that left before this object was made never calls {@link #leave}, so its state is asked as well. Who made this
     * object looks at the state afterwards; the attempt changes its state, <i>then</i> looks for this object.
     */
    private boolean hasLeftTask() {
        return left || attempt.hasLeftTask();
    }

    boolean hasLeft() {
        Seam.at();
        lock.lock();
        try {
            return hasLeftTask();
        } finally {
            lock.unlock();
        }
    }

    private boolean isBegun() {
        Seam.at();
        lock.lock();
        try {
            return begun;
        } finally {
            lock.unlock();
        }
    }

    /** {@return how long ago it was told to stop; zero if it was not} */
    long age(long now) {
        Seam.at();
        lock.lock();
        try {
            return begun ? Math.max(0, now - cancelledAt) : 0;
        } finally {
            lock.unlock();
        }
    }

    // The straggler's report

    /** {@return whether it is to be reported: not if it has left, since it would not say that it has} */
    boolean markReported() {
        Seam.at();
        lock.lock();
        try {
            reported = !hasLeftTask();
            return reported;
        } finally {
            lock.unlock();
        }
    }

    /** Reports that a straggler has left, if it was reported as one. */
    void reportExit() {
        Seam.at();
        lock.lock();
        try {
            if (!reported) {
                return;
            }
        } finally {
            lock.unlock();
        }
        Core core = attempt.core();
        core.collaborators.straggler(core.watch.describe(attempt, core.runtime.nanoTime()), true);
    }
}
