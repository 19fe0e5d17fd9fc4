package dev.hedgescope.samples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SamplesTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... args) {
        return Samples.run(new PrintWriter(out, true), new PrintWriter(err, true), args);
    }

    @Test
    void no_command_means_demo() {
        assertThat(Samples.withDefault()).containsExactly("demo");
        assertThat(Samples.withDefault("--quick", "--seed", "7")).containsExactly("demo", "--quick", "--seed", "7");
        assertThat(Samples.withDefault("--help")).containsExactly("--help");
        assertThat(Samples.withDefault("help", "demo")).containsExactly("help", "demo");
    }

    @Test
    void help_shows_examples_and_exit_codes() {
        int code = run("--help");

        assertThat(code).isZero();
        assertThat(out.toString()).contains("Examples:", "./mvnw -q -Prun", "Exit codes:");
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--rate 5          | --rate must be 20 to 1000, was 5",
                "--seconds 0       | --seconds must be 2 to 600, was 0",
                "--seconds soon    | Invalid value for option '--seconds': 'soon' is not an int",
                "--fast            | Unknown option: '--fast'",
                "dmeo              | Unmatched argument at index 0: 'dmeo'",
            })
    void wrong_arguments_are_told_and_end_with_2(String args, String message) {
        int code = run(args.split(" "));

        assertThat(code).isEqualTo(2);
        assertThat(err.toString()).contains(message);
        assertThat(out.toString()).isEmpty();
    }
}
