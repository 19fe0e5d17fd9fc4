package dev.hedgescope.laws;

import dev.hedgescope.Attempt.CancelHook;
import dev.hedgescope.Attempt.Task;
import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.Hedger;
import dev.hedgescope.Limiter;
import dev.hedgescope.Straggler;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;

/**
 * What one test registers so that the laws can be checked: hedgers, limiters, tasks and their values, hooks.
 *
 * {@snippet :
 * Hedger hedger = ledger.watch(ledger.hedger("test").policy(policy).limiter(ledger.limiter(Limiter.fixed(2))).build());
 * Object value = ledger.delivered(hedger.call(ledger.task(attempt -> new Object())));
 * }
 *
 * <p>Who registers nothing but a hedger gets L4 and L10; {@link #limiter} adds L3, {@link #task}, {@link #delivered}
 * and {@link #discard} L1 and L2, {@link #runtime()} L7 and the end of all threads. Values are told apart by identity,
 * so each attempt has to give an object of its own.
 *
 * <p>Outside a simulation {@link LawsExtension} makes the ledger and settles it; inside, {@link Laws#run} does.
 */
public final class Ledger {

    private final CheckedRuntime runtime;
    private final RecordingListener listener;
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final Queue<Hedger> hedgers = new ConcurrentLinkedQueue<>();
    private final Queue<CheckedLimiter> limiters = new ConcurrentLinkedQueue<>();
    private final Map<Thread, Integer> inTask = new ConcurrentHashMap<>();
    private final Set<Thread> settlers = ConcurrentHashMap.newKeySet();
    private final Map<Object, Fate> values = Collections.synchronizedMap(new IdentityHashMap<>());
    private volatile boolean discards;
    private volatile boolean over;

    /** What became of one value. */
    private static final class Fate {
        private final Thread giver;
        private int delivered;
        private int discarded;

        Fate(Thread giver) {
            this.giver = giver;
        }
    }

    /** Makes a ledger for a test whose threads and time are those of the given runtime. */
    public Ledger(HedgeRuntime base) {
        this.runtime = new CheckedRuntime(base, this);
        this.listener = new RecordingListener(this);
    }

    /** {@return the runtime to use instead of the one the ledger was made with: it notes threads and interrupts} */
    public HedgeRuntime runtime() {
        return runtime;
    }

    /** {@return the listener whose events are compared with the statistics} */
    public RecordingListener listener() {
        return listener;
    }

    /**
     * {@return a builder with this ledger's runtime and listener, and a budget without end} Give the hedger to
     * {@link #watch}.
     */
    public Hedger.Builder hedger(String name) {
        return Hedger.builder(name).runtime(runtime).listener(listener).budget(HedgeBudget.unlimited());
    }

    /** Registers a hedger: it is closed and checked when the ledger is settled. */
    public Hedger watch(Hedger hedger) {
        hedgers.add(hedger);
        return hedger;
    }

    /** {@return the limiter, wrapped so that every permit has to be settled once, after the task was left} */
    public CheckedLimiter limiter(Limiter inner) {
        CheckedLimiter checked = new CheckedLimiter(inner, this);
        limiters.add(checked);
        return checked;
    }

    /** {@return the task, noted while it runs; the value it returns is entered in the ledger} */
    public <T, X extends Exception> Task<T, X> task(Task<T, X> task) {
        return attempt -> {
            enter("task #" + attempt.number());
            try {
                T value = task.run(attempt);
                if (value != null) {
                    values.putIfAbsent(value, new Fate(Thread.currentThread()));
                }
                return value;
            } finally {
                leave();
            }
        };
    }

    /** {@return the hook, which must not be interrupted by us nor run when all is over} */
    public CancelHook hook(CancelHook hook) {
        return () -> {
            userCode("hook");
            hook.cancel();
        };
    }

    /** Notes that a caller got this value. {@return the value} */
    public <T> T delivered(T value) {
        if (value != null) {
            fate(value).delivered++;
        }
        return value;
    }

    /**
     * {@return a discard for {@code HedgeScope.onDiscard}} From now on each value given has to be delivered or
     * discarded.
     */
    public <T> Consumer<T> discard() {
        return discard(value -> {});
    }

    /** {@return the discard, noted} */
    public <T> Consumer<T> discard(Consumer<? super T> then) {
        discards = true;
        return value -> {
            userCode("discard");
            Thread me = Thread.currentThread();
            if (value != null) {
                Fate fate = fate(value);
                fate.discarded++;
                if (fate.giver == me && settlers.contains(me)) {
                    violation("L3: " + value + " was discarded after the permit of its attempt was settled");
                }
            }
            then.accept(value);
        };
    }

    private Fate fate(Object value) {
        return values.computeIfAbsent(value, unknown -> {
            violation("L1: " + unknown + " came out, and no attempt gave it");
            return new Fate(Thread.currentThread());
        });
    }

    // What the parts of the ledger note

    void violation(String words) {
        violations.add(words);
    }

    private void enter(String what) {
        if (over) {
            violation("L4: " + what + " ran after close");
        }
        inTask.merge(Thread.currentThread(), 1, Integer::sum);
    }

    private void leave() {
        inTask.computeIfPresent(Thread.currentThread(), (thread, depth) -> depth == 1 ? null : depth - 1);
    }

    boolean isInTask(Thread thread) {
        return inTask.containsKey(thread);
    }

    void settledBy(Thread thread) {
        settlers.add(thread);
    }

    /** Called at the beginning of user code other than tasks. */
    void userCode(String what) {
        if (over) {
            violation("L4: " + what + " ran after close");
        }
        Thread me = Thread.currentThread();
        if (runtime.started(me) && !isInTask(me) && me.isInterrupted()) {
            violation("L7: an interrupt reached a " + what + " on " + me.getName());
        }
    }

    // The end

    /**
     * Closes the hedgers and checks every law. Inside a simulation it is called by a thread of it.
     *
     * @throws AssertionError that names every law that was broken
     */
    public void settle() {
        for (Hedger hedger : hedgers) {
            List<Straggler> left = hedger.close(Duration.ofMinutes(10));
            if (!left.isEmpty()) {
                violation("L4: still alive in " + hedger.name() + ": " + left);
            }
        }
        over = true;
        for (Hedger hedger : hedgers) {
            Laws.broken(hedger.stats()).forEach(this::violation);
            listener.compare(hedger.stats()).forEach(this::violation);
        }
        limiters.forEach(CheckedLimiter::checkSettled);
        synchronized (values) {
            values.forEach(this::checkFate);
        }
        verify();
    }

    private void checkFate(Object value, Fate fate) {
        int ends = fate.delivered + fate.discarded;
        if (ends > 1) {
            violation("L1: %s was delivered %d times and discarded %d times"
                    .formatted(value, fate.delivered, fate.discarded));
        } else if (discards && ends == 0) {
            violation("L2: " + value + " was neither delivered nor discarded");
        }
    }

    /** Waits until the threads of a ledger outside a simulation have ended, and looks for what they broke at last. */
    void awaitThreads() {
        runtime.awaitThreads();
        verify();
    }

    /** Fails if a law was broken. */
    void verify() {
        if (!violations.isEmpty()) {
            throw new AssertionError("laws broken:\n  " + String.join("\n  ", violations));
        }
    }
}
