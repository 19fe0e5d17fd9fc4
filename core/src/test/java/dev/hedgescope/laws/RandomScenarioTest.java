package dev.hedgescope.laws;

import static org.assertj.core.api.Assertions.assertThat;

import dev.hedgescope.testing.Simulation;
import dev.hedgescope.testing.SimulationOptions;
import dev.hedgescope.testing.SimulationOptions.StartFailure;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Random scenarios against the laws, each twice.
 *
 * <p>{@code -Dhedgescope.seeds=5000000} sets how many, {@code -Dhedgescope.seedBase=1000000} the first,
 * {@code -Dhedgescope.seed=42} replays one.
 */
class RandomScenarioTest {

    private static final int SEEDS = 20_000;

    @Test
    void random_scenarios_keep_every_law_and_run_the_same_way_again() {
        Long replayed = Long.getLong("hedgescope.seed");
        long first = replayed != null ? replayed : Long.getLong("hedgescope.seedBase", 1);
        int seeds = replayed != null ? 1 : Integer.getInteger("hedgescope.seeds", SEEDS);

        try (Logs logs = new Logs()) {
            logs.expect();

            for (long seed = first; seed < first + seeds; seed++) {
                Simulation.Result result = options(seed).run(seed, RandomScenario::run);
                assertThat(options(seed).run(seed, RandomScenario::run))
                        .as("second run of seed %d; -Dhedgescope.seed=%d replays it", seed, seed)
                        .isEqualTo(result);
            }
        }
    }

    /** What goes wrong around the library under this seed. */
    static SimulationOptions options(long seed) {
        SplittableRandom random = new SplittableRandom(~seed);
        SimulationOptions options = Simulation.options();
        if (random.nextInt(4) == 0) {
            options.stalls(0.002, Duration.ofMillis(5));
        }
        if (random.nextInt(4) == 0) {
            options.lateUnparks(0.1, Duration.ofMillis(5));
        }
        if (random.nextInt(8) == 0) {
            options.clockWrapsAfter(Duration.ofMillis(random.nextInt(1, 10)));
        }
        if (random.nextInt(4) == 0) {
            options.spuriousWakeups(0);
        }
        if (random.nextInt(4) == 0) {
            StartFailure how = random.nextBoolean() ? StartFailure.THROW : StartFailure.RETURN_NULL;
            options.startFails(how, random.nextInt(5) == 0 ? 1 : 0.1);
        }
        return options;
    }
}
