package dev.hedgescope.laws;

import dev.hedgescope.Attempt;
import dev.hedgescope.testing.Simulation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * What all parts of a random scenario saw: values and their fates, threads, faults on purpose, laws broken. A broken
 * law is noted, not thrown, since the library contains what its collaborators throw.
 *
 * <p>Used by one thread of a simulation at a time, so nothing is locked.
 */
final class Witness {

    final Simulation sim;
    final RandomGenerator random;
    private final List<String> violations = new ArrayList<>();
    private final List<Value> values = new ArrayList<>();
    private final Set<Throwable> injected = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Thread, Life> lives = new IdentityHashMap<>();

    Witness(Simulation sim) {
        this.sim = sim;
        this.random = sim.random();
    }

    /** A value made by an attempt, and what became of it. */
    static final class Value {
        final CallRecord call;
        final Thread giver = Thread.currentThread();
        final boolean acceptable;
        int delivered;
        int discarded;

        Value(CallRecord call, boolean acceptable) {
            this.call = call;
            this.acceptable = acceptable;
        }
    }

    /** A thread that a hedger started. */
    static final class Life {
        int interrupts;
        int tasks;
        boolean isAttempt;
    }

    /** One call as its caller and its attempts see it. */
    static final class CallRecord {
        final Operation operation;
        final boolean discards;
        final Set<Attempt> inTask = new LinkedHashSet<>();
        final Set<Throwable> thrown = Collections.newSetFromMap(new IdentityHashMap<>());
        boolean returned;
        boolean awaits;

        CallRecord(Operation operation, boolean discards) {
            this.operation = operation;
            this.discards = discards;
        }

        /** Called by the caller when it has its outcome: attempts that still run are cancelled, or there is none. */
        void ends(Witness witness) {
            returned = true;
            if (awaits && !inTask.isEmpty()) {
                witness.violated("AWAIT", inTask + " still run when the call has returned");
            }
            for (Attempt attempt : List.copyOf(inTask)) {
                if (!attempt.isCancelled() && inTask.contains(attempt)) {
                    witness.violated("L9", attempt + " is not cancelled, and its call has returned");
                }
            }
        }
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    void violated(String law, String what) {
        String line = law + ": " + what + " on " + Thread.currentThread().getName();
        violations.add(line);
        sim.log("BROKEN " + line);
    }

    /** {@return a throwable that a collaborator or a task is to throw, noted} */
    <E extends Throwable> E injected(E thrown) {
        injected.add(thrown);
        return thrown;
    }

    boolean wasInjected(Throwable thrown) {
        return injected.contains(thrown);
    }

    // Threads

    Life life(Thread thread) {
        return lives.get(thread);
    }

    Life mine() {
        return lives.computeIfAbsent(Thread.currentThread(), thread -> new Life());
    }

    boolean isOurs(Thread thread) {
        return lives.containsKey(thread);
    }

    /** Called where user code other than a task begins: an interrupt of ours must not have come so far. */
    void expectNoInterrupt(String where) {
        Life life = life(Thread.currentThread());
        if (life != null && life.tasks == 0 && Thread.currentThread().isInterrupted()) {
            violated("L7", "an interrupt reached a " + where);
        }
    }

    // Values

    Value made(CallRecord call, boolean acceptable) {
        Value value = new Value(call, acceptable);
        values.add(value);
        return value;
    }

    void delivered(Value value, CallRecord call) {
        if (value == null) {
            return;
        }
        value.delivered++;
        if (value.call != call) {
            violated("L1", "a value of another call was delivered");
        }
        if (value.discarded > 0 || value.delivered > 1) {
            violated("L1", "a value was delivered that was discarded or delivered before");
        }
    }

    void discarded(Value value) {
        value.discarded++;
        if (value.delivered > 0 || value.discarded > 1) {
            violated("L2", "a value was discarded that was delivered or discarded before");
        }
    }

    /** Fails if a law was broken. */
    void verify() {
        for (Value value : values) {
            if (value.call.discards && value.delivered + value.discarded != 1) {
                violated(
                        "L2",
                        "a value was delivered %d times and discarded %d times"
                                .formatted(value.delivered, value.discarded));
            }
        }
        if (!violations.isEmpty()) {
            throw new AssertionError("laws broken:\n  " + String.join("\n  ", violations));
        }
    }
}
