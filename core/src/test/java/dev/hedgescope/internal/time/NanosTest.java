package dev.hedgescope.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class NanosTest {

    @Test
    void a_duration_that_fits_is_counted_exactly() {
        assertThat(Nanos.of(Duration.ZERO)).isZero();
        assertThat(Nanos.of(Duration.ofNanos(-1))).isEqualTo(-1);
        assertThat(Nanos.of(Duration.ofSeconds(3, 7))).isEqualTo(3_000_000_007L);
        assertThat(Nanos.of(Duration.ofNanos(Long.MAX_VALUE - 1))).isEqualTo(Long.MAX_VALUE - 1);
        assertThat(Nanos.of(Duration.ofNanos(Long.MIN_VALUE))).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void a_duration_that_does_not_fit_is_as_long_as_can_be() {
        assertThat(Nanos.of(Duration.ofNanos(Long.MAX_VALUE))).isEqualTo(Nanos.FOREVER);
        assertThat(Nanos.of(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Nanos.FOREVER);
        assertThat(Nanos.of(ChronoUnit.FOREVER.getDuration())).isEqualTo(Nanos.FOREVER);
        assertThat(Nanos.of(Duration.ofSeconds(Long.MIN_VALUE))).isEqualTo(Long.MIN_VALUE);
    }
}
