package dev.hedgescope.jdbc;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.HedgeException;
import dev.hedgescope.laws.LawsExtension;
import dev.hedgescope.laws.Logs;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What an attempt does with its connection, in virtual time, with a driver of our own making. */
@ExtendWith(LawsExtension.class)
class HedgedReadsTest {

    @Test
    void rows_come_back_as_a_list_that_nobody_can_change() {
        ReadStory.told(story -> {
            HedgedReads reads = story.reads(after -> after.maxAttempts(1));

            List<String> rows = reads.query("a;b;c", q -> q.setLong(1, 7), row -> row.getString(1));

            assertThat(rows).containsExactly("a", "b", "c");
            assertThatThrownBy(() -> rows.add("d")).isInstanceOf(UnsupportedOperationException.class);
        });
    }

    @Test
    void one_row_or_none_is_an_optional_and_two_are_a_failure() {
        ReadStory.told(story -> {
            HedgedReads reads = story.reads(after -> after.maxAttempts(1));

            Optional<String> one = reads.queryOne("a", q -> {}, row -> row.getString(1));
            Optional<String> none = reads.queryOne("", q -> {}, row -> row.getString(1));

            assertThat(one).contains("a");
            assertThat(none).isEmpty();
            assertThatThrownBy(() -> reads.queryOne("a;b", q -> {}, row -> row.getString(1)))
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("21000"));
        });
    }

    @Test
    void a_reader_gets_the_result_set_inside_the_attempt() {
        ReadStory.told(story -> {
            HedgedReads reads = story.reads(after -> after.maxAttempts(1));

            int count = reads.read("a;b;c", q -> {}, rows -> {
                int n = 0;
                while (rows.next()) {
                    n++;
                }
                return n;
            });

            assertThat(count).isEqualTo(3);
        });
    }

    @Test
    void a_reader_must_not_return_what_ends_with_the_connection() {
        ReadStory.told(story -> {
            HedgedReads reads = story.reads(after -> after.maxAttempts(1));

            assertThatThrownBy(() -> reads.read("a", q -> {}, rows -> rows))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("must return values");
            assertThatThrownBy(() -> reads.query("a", q -> {}, row -> List.of(row).stream()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("must return values");
        });
    }

    @Test
    void the_connection_goes_back_as_it_came() {
        ReadStory.told(story -> {
            story.a.autoCommit = false;
            HedgedReads reads = story.reads(after -> after.maxAttempts(1));

            reads.fetchSize(50).query("a", q -> q.setLong(1, 7), row -> row.getString(1));

            assertThat(story.a.happened())
                    .containsExactly(
                            "read-only true",
                            "setFetchSize 50",
                            "setLong 7",
                            "execute",
                            "rollback",
                            "read-only false",
                            "return");
        });
    }

    @Test
    void read_only_mode_can_be_left_as_it_is() {
        ReadStory.told(story -> {
            HedgedReads reads = story.reads(after -> after.maxAttempts(1)).leaveReadOnly();

            reads.query("a", q -> {}, row -> row.getString(1));

            assertThat(story.a.happened()).containsExactly("execute", "return");
        });
    }

    @Test
    void a_refused_read_only_mode_is_counted_logged_once_and_not_restored(Logs logs) {
        ReadStory.told(story -> {
            story.a.refusesReadOnly = true;
            story.b.refusesReadOnly = true;
            HedgedReads reads = story.reads(after -> after.maxAttempts(1));

            reads.query("a", q -> {}, row -> row.getString(1));
            reads.fetchSize(5).query("a", q -> {}, row -> row.getString(1));

            assertThat(reads.incidents()).isEqualTo(Map.of(ReadIncident.READ_ONLY_REFUSED, 2L));
            assertThat(story.a.happened()).containsExactly("execute", "return");
            assertThat(story.b.happened()).containsExactly("setFetchSize 5", "execute", "return");
        });

        logs.expect();
        assertThat(logs.messages())
                .containsExactly("reads: the driver refused to make a connection read-only; "
                        + "this is counted, changes no result, and is not logged again");
    }

    @Test
    void a_connection_that_does_not_close_changes_no_result(Logs logs) {
        ReadStory.told(story -> {
            story.a.failsToClose = true;
            HedgedReads reads = story.reads(after -> after.maxAttempts(1));

            List<String> rows = reads.query("a", q -> {}, row -> row.getString(1));

            assertThat(rows).containsExactly("a");
            assertThat(reads.incidents()).isEqualTo(Map.of(ReadIncident.CLOSE_FAILED, 1L));
        });

        logs.expect();
        assertThat(logs.messages()).hasSize(1);
    }

    @Test
    void the_query_timeout_is_the_rest_of_the_deadline_in_whole_seconds() {
        ReadStory.told(story -> {
            story.a.queryTakes = ofSeconds(2);
            HedgedReads reads = story.reads(after -> after.deadline(ofMillis(3_500)));

            reads.query("a", q -> {}, row -> row.getString(1));

            assertThat(story.a.happened()).contains("timeout 4 s"); // 3.5 s
            assertThat(story.b.happened()).contains("timeout 4 s"); // 3.48 s
        });
    }

    @Test
    void there_is_no_query_timeout_without_a_deadline() {
        ReadStory.told(story -> {
            HedgedReads reads = story.reads(after -> after.maxAttempts(1));

            reads.query("a", q -> {}, row -> row.getString(1));

            assertThat(story.a.happened()).containsExactly("read-only true", "execute", "read-only false", "return");
        });
    }

    @Test
    void a_refused_query_timeout_is_counted_and_logged_once(Logs logs) {
        ReadStory.told(story -> {
            story.a.refusesTimeout = true;
            story.b.refusesTimeout = true;
            HedgedReads reads = story.reads(after -> after.deadline(ofSeconds(1)));

            reads.query("a", q -> {}, row -> row.getString(1));
            reads.query("a", q -> {}, row -> row.getString(1));

            assertThat(reads.incidents()).isEqualTo(Map.of(ReadIncident.TIMEOUT_REFUSED, 2L));
        });

        logs.expect();
        assertThat(logs.messages())
                .containsExactly("reads: the driver refused the query timeout; "
                        + "this is counted, changes no result, and is not logged again");
    }

    @Test
    void seconds_are_rounded_up_and_never_zero() {
        assertThat(ReadAttempt.seconds(0)).isEqualTo(1);
        assertThat(ReadAttempt.seconds(1)).isEqualTo(1);
        assertThat(ReadAttempt.seconds(TimeUnit.SECONDS.toNanos(1))).isEqualTo(1);
        assertThat(ReadAttempt.seconds(TimeUnit.SECONDS.toNanos(1) + 1)).isEqualTo(2);
        assertThat(ReadAttempt.seconds(Long.MAX_VALUE - 1)).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void a_call_past_its_deadline_says_so() {
        ReadStory.told(story -> {
            story.a.queryTakes = Duration.ofMinutes(1);
            story.b.queryTakes = Duration.ofMinutes(1);
            HedgedReads reads = story.reads(after -> after.deadline(ofSeconds(1)));

            assertThatThrownBy(() -> reads.query("a", q -> {}, row -> row.getString(1)))
                    .isInstanceOf(HedgeException.TimedOut.class);
            assertThat(story.sim.millis()).isEqualTo(1_000);
        });
    }

    @Test
    void a_replica_that_is_down_starts_the_hedge_at_once() {
        ReadStory.told(story -> {
            story.a.isDown = true;
            HedgedReads reads = story.reads(after -> after);

            List<String> rows = reads.query("a", q -> {}, row -> row.getString(1));

            assertThat(rows).containsExactly("a");
            assertThat(story.sim.millis()).isZero();
            assertThat(story.b.happened()).contains("execute");
        });
    }

    @Test
    void a_failing_binder_or_mapper_fails_the_attempt_and_gives_the_connection_back() {
        ReadStory.told(story -> {
            HedgedReads reads = story.reads(after -> after.maxAttempts(1));
            SQLException mine = new SQLException("mine");

            assertThatThrownBy(() -> reads.query(
                            "a",
                            q -> {
                                throw mine;
                            },
                            row -> row.getString(1)))
                    .isSameAs(mine);
            assertThatThrownBy(() -> reads.query("a", q -> {}, row -> {
                        throw mine;
                    }))
                    .isSameAs(mine);

            assertThat(story.a.idle() + story.b.idle()).isEqualTo(2);
        });
    }

    @Test
    void a_negative_fetch_size_is_refused_by_name_and_value() {
        ReadStory.told(story -> {
            HedgedReads reads = story.reads(after -> after);

            assertThatThrownBy(() -> reads.fetchSize(-1)).hasMessage("fetchSize must be at least 0, was -1");
        });
    }
}
