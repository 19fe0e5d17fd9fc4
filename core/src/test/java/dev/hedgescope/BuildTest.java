package dev.hedgescope;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the build promises to the tests. */
class BuildTest {

    @Test
    void core_is_tested_as_a_named_module() {
        assertThat(HedgeRuntime.class.getModule().getName()).isEqualTo("dev.hedgescope");
    }

    @Test
    void the_points_of_the_simulation_are_armed() {
        assertThat(dev.hedgescope.internal.time.Seam.ON).isTrue();
    }
}
