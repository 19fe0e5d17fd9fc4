package dev.hedgescope;

import dev.hedgescope.Attempt.Task;
import dev.hedgescope.laws.Laws;
import dev.hedgescope.laws.Ledger;
import dev.hedgescope.testing.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Words that the tests of whole calls share. */
final class Stories {

    private Stories() {}

    static Duration ms(long millis) {
        return Duration.ofMillis(millis);
    }

    /** {@return what happened, line by line, when every thread runs until it waits} The laws are checked at the end. */
    static List<String> told(Laws.Body body) {
        return Laws.run(Simulation.options().orderly(), 0, (sim, ledger) -> {
                    ledger.listener().tell(sim::log);
                    body.run(sim, ledger);
                })
                .transcript();
    }

    /** {@return a task whose attempt n takes the n-th of these times, unless interrupted, and gives its number} */
    static Task<String, RuntimeException> takes(Simulation sim, Ledger ledger, long... millis) {
        return ledger.task(attempt -> {
            sim.sleep(ms(millis[attempt.number()]));
            return named(attempt);
        });
    }

    /** {@return the same for attempts that ignore their interrupt} */
    static Task<String, RuntimeException> takesWhateverComes(Simulation sim, Ledger ledger, long... millis) {
        return ledger.task(attempt -> {
            sim.sleepUninterruptibly(ms(millis[attempt.number()]));
            return named(attempt);
        });
    }

    /** {@return a policy that hedges so long after the latest attempt} */
    static HedgePolicy.Builder every(long millis) {
        return HedgePolicy.builder().delay(HedgeDelay.fixed(ms(millis)));
    }

    /** {@return a hedger whose events and laws the ledger knows} */
    static Hedger hedger(Ledger ledger, HedgePolicy.Builder policy) {
        return ledger.watch(ledger.hedger("story").policy(policy.build()).build());
    }

    /** {@return a task whose attempt n fails after the n-th of these times; those beyond take a second} */
    static Task<String, IOException> failsAfter(Simulation sim, Ledger ledger, long... millis) {
        return ledger.task(attempt -> {
            boolean fails = attempt.number() < millis.length;
            sim.sleep(ms(fails ? millis[attempt.number()] : 1_000));
            if (fails) {
                throw new IOException(named(attempt));
            }
            return named(attempt);
        });
    }

    /** {@return a new string each time, since the ledger tells values apart by identity} */
    static String named(Attempt attempt) {
        return "#" + attempt.number();
    }

    /** {@return replicas whose rotation begins with the first} */
    static Replicas<String> replicas(HedgeRuntime runtime, List<Replica<String>> replicas) {
        return Replicas.of(replicas, new Unshuffled(runtime));
    }

    /** A runtime without chance. */
    private record Unshuffled(HedgeRuntime base) implements HedgeRuntime {

        @Override
        public long nanoTime() {
            return base.nanoTime();
        }

        @Override
        public Thread start(String name, Runnable body) {
            return base.start(name, body);
        }

        @Override
        public void park(long nanos) {
            base.park(nanos);
        }

        @Override
        public void unpark(Thread thread) {
            base.unpark(thread);
        }

        @Override
        public void interrupt(Thread thread) {
            base.interrupt(thread);
        }

        @Override
        public long nextRandom() {
            return 0;
        }
    }
}
