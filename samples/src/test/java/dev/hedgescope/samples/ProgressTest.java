package dev.hedgescope.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ProgressTest {

    @Test
    void the_bar_is_full_at_the_end_and_stays_full() {
        Duration expected = Duration.ofSeconds(18);

        assertThat(Progress.bar("hedged", Duration.ofSeconds(9), expected))
                .isEqualTo("[###############...............]  50 % hedged");
        assertThat(Progress.bar("hedged", Duration.ofSeconds(20), expected))
                .isEqualTo("[##############################] 100 % hedged");
    }

    @Test
    void elsewhere_than_on_a_terminal_there_are_lines_only() {
        ByteArrayOutputStream written = new ByteArrayOutputStream();

        try (Progress progress = new Progress(new PrintStream(written, true, StandardCharsets.UTF_8), false)) {
            progress.begin("starting", Duration.ofSeconds(8));
            progress.begin("measuring", Duration.ofSeconds(18));
        }

        assertThat(written.toString(StandardCharsets.UTF_8)).isEqualToNormalizingNewlines("starting\nmeasuring\n");
    }
}
