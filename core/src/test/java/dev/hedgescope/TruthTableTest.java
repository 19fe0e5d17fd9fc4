package dev.hedgescope;

import static dev.hedgescope.Stories.ms;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hedgescope.Attempt.Task;
import dev.hedgescope.HedgePolicy.Losers;
import dev.hedgescope.laws.Laws;
import dev.hedgescope.laws.LawsExtension;
import dev.hedgescope.laws.Ledger;
import dev.hedgescope.testing.Simulation;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a call ends with, and when, for every pair of a primary and a hedge. The delay is 10 ms, the deadline 100 ms;
 * who is interrupted needs 7 ms to leave. {@code V1@14} is the value of attempt 1 after 14 ms, {@code F} a failure,
 * {@code E} an error, {@code T} the deadline; a plus says that a loser still runs, so that {@code AWAIT} returns 7 ms
 * later.
 *
 * <pre>
 * primary \ hedge    fast value  slow value  fast failure  slow failure  fatal     hangs
 *                    +4 ms       +30 ms      +4 ms         +30 ms        +15 ms
 * fast value    4    V0@4        V0@4        V0@4          V0@4          V0@4      V0@4
 * slow value   30    V1@14+      V0@30+      V0@30         V0@30+        E1@25+    V0@30+
 * fast failure  4    V1@8        V1@34       F0@8          F0@34         E1@19     T@100+
 * slow failure 30    V1@14+      V1@40       F0@30         F0@40         E1@25+    T@100+
 * fatal        15    V1@14+      E0@15+      E0@15         E0@15+        E0@15+    E0@15+
 * hangs              V1@14+      V1@40+      T@100+        T@100+        E1@25+    T@100+
 * </pre>
 */
@ExtendWith(LawsExtension.class)
class TruthTableTest {

    private static final int DELAY = 10;
    private static final int DEADLINE = 100;
    private static final int LEAVING = 7;
    private static final int NEVER = 1_000;

    private enum Behaviour {
        FAST_VALUE('V', 4),
        SLOW_VALUE('V', 30),
        FAST_FAILURE('F', 4),
        SLOW_FAILURE('F', 30),
        FATAL('E', 15),
        HANGS('-', NEVER);

        private final char end;
        private final int millis;

        Behaviour(char end, int millis) {
            this.end = end;
            this.millis = millis;
        }
    }

    /** The table above, from the rules; nothing in it happens at the same moment. */
    private static String model(Behaviour primary, Behaviour hedge, Losers losers) {
        int first = primary.millis;
        boolean hedged = first > DELAY || primary.end == 'F';
        int second = !hedged ? NEVER : Math.min(first, DELAY) + hedge.millis;
        boolean failsFirst = primary.end == 'F' && (first < second || hedge.end == 'F');
        boolean failsSecond = hedge.end == 'F' && hedged;
        int decided0 = primary.end == 'F' ? NEVER : first;
        int decided1 = failsSecond ? NEVER : second;
        int decided = failsFirst && failsSecond ? Math.max(first, second) : Math.min(decided0, decided1);
        int at = Math.min(decided, DEADLINE);
        String what = at == DEADLINE
                ? "T"
                : failsFirst && failsSecond ? "F0" : decided0 < decided1 ? primary.end + "0" : hedge.end + "1";
        boolean loserRuns = first > at || (hedged && second > at);
        return what + "@" + (at + (losers == Losers.AWAIT && loserRuns ? LEAVING : 0));
    }

    static Stream<Arguments> everyPair() {
        return Arrays.stream(Behaviour.values())
                .flatMap(primary -> Arrays.stream(Behaviour.values())
                        .flatMap(hedge ->
                                Arrays.stream(Losers.values()).map(losers -> Arguments.of(primary, hedge, losers))));
    }

    @ParameterizedTest(name = "{0} and {1}, {2}")
    @MethodSource("everyPair")
    void a_call_ends_as_the_table_says(Behaviour primary, Behaviour hedge, Losers losers) {
        HedgePolicy policy = HedgePolicy.builder()
                .delay(HedgeDelay.fixed(ms(DELAY)))
                .deadline(ms(DEADLINE))
                .losers(losers)
                .build();
        Laws.runAll(Simulation.options(), 1, 20, (sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("pair")
                    .policy(policy)
                    .limiter(ledger.limiter(Limiter.fixed(2, sim.runtime())))
                    .build());

            String end = endOf(hedger, behaving(sim, ledger, primary, hedge), ledger) + "@" + sim.millis();

            assertThat(end).isEqualTo(model(primary, hedge, losers));
        });
    }

    private static Task<String, IOException> behaving(
            Simulation sim, Ledger ledger, Behaviour primary, Behaviour hedge) {
        return ledger.task(attempt -> {
            Behaviour mine = attempt.isPrimary() ? primary : hedge;
            String name = "" + mine.end + attempt.number();
            try {
                sim.sleep(ms(mine.millis));
            } catch (InterruptedException e) {
                sim.sleepUninterruptibly(ms(LEAVING));
                throw e;
            }
            return switch (mine.end) {
                case 'F' -> throw new IOException(name);
                case 'E' -> throw new StackOverflowError(name);
                default -> name;
            };
        });
    }

    private static String endOf(Hedger hedger, Task<String, IOException> task, Ledger ledger)
            throws InterruptedException {
        try {
            return ledger.delivered(hedger.call(task));
        } catch (IOException | StackOverflowError failure) {
            return failure.getMessage();
        } catch (HedgeException.TimedOut e) {
            return "T";
        }
    }
}
