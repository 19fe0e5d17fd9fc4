package dev.hedgescope.samples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TableTest {

    @Test
    void names_stand_to_the_left_and_numbers_to_the_right() {
        Table table = new Table("SQL query", "unhedged", "hedged");

        table.row("p50", "6.7 ms", "6.6 ms");
        table.row("hedges that won", "-", "96.2 %");

        assertThat(table).hasToString("""
                SQL query        unhedged  hedged
                ---------------------------------
                p50                6.7 ms  6.6 ms
                hedges that won         -  96.2 %
                """);
    }

    @Test
    void a_row_that_does_not_fit_the_header_is_refused() {
        Table table = new Table("SQL query", "unhedged", "hedged");

        assertThatThrownBy(() -> table.row("p50", "6.7 ms"))
                .hasMessage("cells must be as many as in the header, 3, were 2");
    }

    @Test
    void times_have_a_decimal_where_it_says_something() {
        assertThat(Report.time(Duration.ofNanos(2_940_000))).isEqualTo("2.9 ms");
        assertThat(Report.time(Duration.ofNanos(99_940_000))).isEqualTo("99.9 ms");
        assertThat(Report.time(Duration.ofNanos(99_960_000))).isEqualTo("100 ms");
        assertThat(Report.percent(0.0412)).isEqualTo("4.1 %");
        assertThat(Report.count(12_345)).isEqualTo("12,345");
    }

    @Test
    void a_percentile_is_a_latency_that_occurred() {
        Latencies latencies = new Latencies();
        for (int millis = 100; millis >= 1; millis--) {
            latencies.add(Duration.ofMillis(millis).toNanos());
        }

        assertThat(latencies.percentile(50)).hasMillis(50);
        assertThat(latencies.percentile(99)).hasMillis(99);
        assertThat(latencies.percentile(99.9)).hasMillis(100);
        assertThat(new Latencies().percentile(99)).isZero();
        assertThat(latencies.shareAbove(Duration.ofMillis(97))).isEqualTo(0.03);
    }
}
