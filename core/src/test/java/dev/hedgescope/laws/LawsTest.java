package dev.hedgescope.laws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.HedgeScope;
import dev.hedgescope.Hedger;
import dev.hedgescope.Limiter;
import dev.hedgescope.Limiter.Permit;
import dev.hedgescope.testing.Simulation;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Each check sees the fault that it is for. */
@ExtendWith(LawsExtension.class)
class LawsTest {

    private static final HedgePolicy TOGETHER =
            HedgePolicy.builder().delay(HedgeDelay.parallel()).build();

    @Test
    void a_call_on_real_threads_keeps_the_laws(Ledger ledger) throws InterruptedException {
        CheckedLimiter limiter = ledger.limiter(Limiter.fixed(2));
        Hedger hedger = ledger.watch(
                ledger.hedger("real").policy(TOGETHER).limiter(limiter).build());

        Object value = ledger.delivered(hedger.call(ledger.task(attempt -> new Object())));

        assertThat(value).isNotNull();
        assertThat(limiter.granted()).isPositive();
    }

    @Test
    void calls_under_many_seeds_keep_the_laws() {
        Laws.runAll(Simulation.options(), 1, 200, (sim, ledger) -> {
            CheckedLimiter limiter = ledger.limiter(Limiter.fixed(3, sim.runtime()));
            Hedger hedger = ledger.watch(
                    ledger.hedger("sim").policy(TOGETHER).limiter(limiter).build());
            try (HedgeScope<Object> scope = hedger.open()) {
                scope.onDiscard(ledger.discard());
                scope.fork(ledger.task(attempt -> new Object()));
                scope.fork(ledger.task(attempt -> attempt.onCancel(ledger.hook(() -> {}), () -> {
                    sim.sleep(Duration.ofMillis(sim.random().nextInt(3)));
                    return new Object();
                })));
                assertThat(ledger.delivered(scope.join())).isNotNull();
            }
            Laws.check(hedger);
        });
    }

    @Test
    void a_permit_settled_twice_or_never_is_seen() {
        Ledger ledger = new Ledger(HedgeRuntime.system());
        CheckedLimiter limiter = ledger.limiter(new Careless());
        Permit twice = limiter.tryAcquire();
        limiter.tryAcquire();

        twice.success();
        twice.drop();

        assertThatThrownBy(ledger::settle)
                .hasMessageContaining(
                        "L3: permit 1 taken by main was settled twice: success by main, then drop by main")
                .hasMessageContaining("L3: permit 2 taken by main was never settled");
    }

    @Test
    void a_permit_settled_inside_its_task_is_seen() throws Exception {
        Ledger ledger = new Ledger(HedgeRuntime.system());
        Permit permit = ledger.limiter(new Careless()).tryAcquire();
        Hedger hedger = ledger.watch(ledger.hedger("early").build());

        hedger.call(ledger.task(attempt -> {
            permit.ignore();
            return null;
        }));

        assertThatThrownBy(ledger::settle)
                .hasMessageContaining("L3: permit 1 taken by main was settled inside its task: ignore by early#0");
    }

    @Test
    void a_value_delivered_twice_lost_or_made_up_is_seen() throws Exception {
        Ledger ledger = new Ledger(HedgeRuntime.system());
        Hedger hedger = ledger.watch(ledger.hedger("values").build());
        Consumer<Object> discard = ledger.discard();
        hedger.call(ledger.task(attempt -> new StringBuilder("lost")));

        Object value = hedger.call(ledger.task(attempt -> new StringBuilder("twice")));
        discard.accept(ledger.delivered(value));
        ledger.delivered(new StringBuilder("made up"));

        assertThatThrownBy(ledger::settle)
                .hasMessageContaining("L1: twice was delivered 1 times and discarded 1 times")
                .hasMessageContaining("L2: lost was neither delivered nor discarded")
                .hasMessageContaining("L1: made up came out, and no attempt gave it");
    }

    @Test
    void a_second_interrupt_and_one_of_a_stranger_are_seen() throws InterruptedException {
        Ledger ledger = new Ledger(HedgeRuntime.system());
        HedgeRuntime runtime = ledger.runtime();
        Thread ours = runtime.start("ours", () -> {});
        Thread stranger = Thread.ofVirtual().name("stranger").unstarted(() -> {});

        runtime.interrupt(ours);
        runtime.interrupt(ours);
        runtime.interrupt(stranger);

        assertThatThrownBy(ledger::settle)
                .hasMessageContaining("L7: ours was interrupted twice")
                .hasMessageContaining("L7: stranger was interrupted, which is no thread of ours");
    }

    @Test
    void an_event_after_the_end_fails_the_simulation_it_came_in() {
        assertThatThrownBy(() -> Laws.run(Simulation.options(), 1, (sim, ledger) -> {
                    Consumer<Object> discard = ledger.discard();
                    sim.start("late", () -> {
                        sim.sleep(Duration.ofSeconds(1));
                        discard.accept(null);
                    });
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("L4: discard ran after close");
    }

    /** Grants without limit, and lets a permit be settled as often as one likes. */
    private static final class Careless implements Limiter {

        @Override
        public Permit tryAcquire() {
            return new Permit() {
                @Override
                public void success() {}

                @Override
                public void ignore() {}

                @Override
                public void drop() {}
            };
        }

        @Override
        public Permit acquire(Duration wait) {
            return tryAcquire();
        }

        @Override
        public int limit() {
            return Integer.MAX_VALUE;
        }

        @Override
        public int inUse() {
            return 0;
        }
    }
}
