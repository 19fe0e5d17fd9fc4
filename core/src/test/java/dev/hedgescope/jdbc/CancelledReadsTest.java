package dev.hedgescope.jdbc;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hedgescope.HedgeStats;
import dev.hedgescope.Hedger;
import dev.hedgescope.laws.LawsExtension;
import dev.hedgescope.laws.Logs;
import dev.hedgescope.testing.Simulation;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * How the losers of reads are stopped, in virtual time: the read begins on {@code a}, its hedge on {@code b} after 20 ms
 * wins at 25 ms.
 */
@ExtendWith(LawsExtension.class)
class CancelledReadsTest {

    private static void losesOnA(ReadStory story) {
        story.a.queryTakes = ofSeconds(1);
        story.b.queryTakes = ofMillis(5);
    }

    /** Reads, hedged, and waits until the loser has gone. {@return the numbers} */
    private static HedgeStats readToTheEnd(ReadStory story, HedgedReads reads) throws Exception {
        List<String> rows = reads.query("x", q -> {}, row -> row.getString(1));
        assertThat(rows).containsExactly("x");
        assertThat(story.sim.millis()).isEqualTo(25);
        assertThat(story.hedgers.getFirst().awaitQuiet(ofSeconds(60))).isTrue();
        return story.hedgers.getFirst().stats();
    }

    @Test
    void the_losers_query_is_cancelled_and_its_connection_goes_back_intact() {
        ReadStory.told(story -> {
            losesOnA(story);

            HedgeStats stats = readToTheEnd(story, story.reads(after -> after));

            assertThat(story.a.events)
                    .containsExactly(
                            "0 ms read-only true",
                            "0 ms execute",
                            "25 ms cancel",
                            "25 ms read-only false",
                            "25 ms return");
            assertThat(story.a.evicted).isZero();
            assertThat(stats.interrupts()).isZero();
            assertThat(stats.hooksRun()).isEqualTo(1);
        });
    }

    @Test
    void reading_the_rows_is_cancelled_as_the_query_is() {
        ReadStory.told(story -> {
            losesOnA(story);
            story.a.queryTakes = Duration.ZERO;
            story.a.rowTakes = ofMillis(100);

            HedgeStats stats = readToTheEnd(story, story.reads(after -> after));

            assertThat(story.a.events).contains("25 ms cancel", "25 ms return");
            assertThat(stats.interrupts()).isZero();
        });
    }

    @Test
    void a_cancel_that_is_lost_before_the_query_is_sent_is_repeated() {
        ReadStory.told(story -> {
            losesOnA(story);
            story.a.sendTakes = ofMillis(50);

            HedgeStats stats = readToTheEnd(story, story.reads(after -> after));

            assertThat(story.a.events)
                    .containsExactly(
                            "0 ms read-only true",
                            "25 ms cancel",
                            "35 ms cancel",
                            "50 ms execute",
                            "55 ms cancel",
                            "55 ms read-only false",
                            "55 ms return");
            assertThat(story.a.cancelsLost).isEqualTo(2);
            assertThat(stats.hooksRun()).isEqualTo(1);
        });
    }

    @Test
    void a_query_that_ignores_its_cancels_is_interrupted_after_the_grace_and_its_connection_replaced() {
        ReadStory.told(story -> {
            losesOnA(story);
            story.a.heedsCancel = false;
            story.a.autoCommit = false;
            HedgedReads reads = story.reads(after -> after);

            HedgeStats stats = readToTheEnd(story, reads);

            assertThat(story.a.events)
                    .containsExactly(
                            "0 ms read-only true",
                            "0 ms execute",
                            "25 ms cancel",
                            "35 ms cancel",
                            "55 ms cancel",
                            "95 ms cancel",
                            "125 ms rollback",
                            "125 ms evict");
            assertThat(stats.interrupts()).isEqualTo(1);
            assertThat(reads.incidents()) // and nothing is logged, since that was to be expected
                    .isEqualTo(Map.of(ReadIncident.ROLLBACK_FAILED, 1L, ReadIncident.RESTORE_FAILED, 1L));
        });
    }

    @Test
    void a_longer_grace_has_more_cancels_and_none_has_one() {
        ReadStory.told(story -> {
            losesOnA(story);
            story.a.heedsCancel = false;

            readToTheEnd(story, story.reads(after -> after.cancelGrace(ofMillis(400))));

            assertThat(story.a.cancels).isEqualTo(6); // 0, 10, 30, 70, 150, 310 ms
            assertThat(story.a.events).contains("425 ms evict");
        });
    }

    @Test
    void cancel_only_never_interrupts_and_goes_on_cancelling() {
        ReadStory.told(story -> {
            losesOnA(story);
            story.a.heedsCancel = false;

            HedgeStats stats =
                    readToTheEnd(story, story.reads(after -> after).cancelOnly().leaveReadOnly());

            assertThat(story.a.events)
                    .containsExactly(
                            "0 ms execute",
                            "25 ms cancel",
                            "35 ms cancel",
                            "55 ms cancel",
                            "95 ms cancel",
                            "175 ms cancel",
                            "335 ms cancel",
                            "655 ms cancel",
                            "1000 ms return");
            assertThat(stats.interrupts()).isZero();
        });
    }

    @Test
    void cancel_only_heeds_a_policy_that_is_changed_meanwhile() {
        ReadStory.told(story -> {
            losesOnA(story);
            HedgedReads reads = story.reads(after -> after).cancelOnly();
            readToTheEnd(story, reads);
            Hedger hedger = story.hedgers.getFirst();
            hedger.policy(hedger.policy().toBuilder().maxAttempts(1).build());

            reads.query("x", q -> {}, row -> row.getString(1));

            assertThat(hedger.stats().attempts()).isEqualTo(3);
        });
    }

    @Test
    void no_interrupt_meets_a_rollback_within_the_grace() {
        ReadStory.told(story -> {
            losesOnA(story);
            story.a.queryTakes = ofMillis(22);
            story.a.autoCommit = false;
            story.a.rollbackTakes = ofMillis(50);

            HedgeStats stats = readToTheEnd(story, story.reads(after -> after));

            assertThat(story.a.events)
                    .containsExactly(
                            "0 ms read-only true",
                            "0 ms execute",
                            "22 ms rollback",
                            "72 ms read-only false",
                            "72 ms return");
            assertThat(stats.interrupts()).isZero();
            assertThat(stats.hooksRun()).isZero();
        });
    }

    @Test
    void an_interrupt_that_the_driver_did_not_see_spoils_no_rollback() {
        ReadStory.told(story -> {
            losesOnA(story);
            story.a.heedsCancel = false;
            story.a.interruptClosesSocket = false;
            story.a.autoCommit = false;
            HedgedReads reads = story.reads(after -> after).leaveReadOnly();
            story.a.onRollback = () -> story.a.interruptClosesSocket = true;

            HedgeStats stats = readToTheEnd(story, reads);

            assertThat(stats.interrupts()).isEqualTo(1);
            assertThat(story.a.events).endsWith("1000 ms rollback", "1000 ms return");
            assertThat(reads.incidents()).isEmpty();
        });
    }

    @Test
    void a_loser_that_waits_for_a_connection_leaves_the_queue() {
        ReadStory.told(story -> {
            losesOnA(story);
            story.a.poolSize = 0;
            HedgedReads reads = story.reads(after -> after);

            HedgeStats stats = readToTheEnd(story, reads);

            assertThat(story.sim.millis()).isEqualTo(125);
            assertThat(stats.interrupts()).isEqualTo(1);
            assertThat(stats.hooksRun()).isZero();
            assertThat(story.a.waiting()).isZero();
            assertThat(story.a.events).isEmpty();
        });
    }

    @Test
    void a_loser_that_gets_its_connection_too_late_gives_it_back_at_once() {
        ReadStory.told(story -> {
            losesOnA(story);
            story.a.poolSize = 1;
            Thread holder = story.sim.start("holder", () -> story.a.hold(ofMillis(60)));

            HedgeStats stats = readToTheEnd(story, story.reads(after -> after));

            story.sim.join(holder);
            assertThat(story.a.events).containsExactly("60 ms return", "60 ms return");
            assertThat(stats.interrupts()).isZero();
        });
    }

    @Test
    void an_exhausted_pool_is_a_failure_that_starts_the_hedge() {
        ReadStory.told(story -> {
            story.a.poolSize = 0;
            story.a.poolPatience = ofMillis(10);
            HedgedReads reads = story.reads(after -> after);

            List<String> rows = reads.query("x", q -> {}, row -> row.getString(1));

            assertThat(rows).containsExactly("x");
            assertThat(story.sim.millis()).isEqualTo(10);
        });
    }

    @Test
    void a_cancel_that_is_not_supported_is_not_repeated(Logs logs) {
        ReadStory.told(story -> {
            losesOnA(story);
            story.a.cancelFailure = () -> {
                throw new java.sql.SQLFeatureNotSupportedException("cancel");
            };

            HedgeStats stats = readToTheEnd(story, story.reads(after -> after));

            assertThat(story.a.cancels).isEqualTo(1);
            assertThat(stats.hooksFailed()).isEqualTo(1);
            assertThat(story.a.events).contains("125 ms evict");
        });

        logs.expect();
        assertThat(logs.messages()).hasSize(1);
    }

    @Test
    void a_cancel_that_fails_at_first_is_repeated_and_counts_as_done() {
        ReadStory.told(story -> {
            losesOnA(story);
            story.a.cancelFailure = () -> {
                if (story.a.cancels < 3) {
                    throw new SQLException("no route to host", "08001");
                }
            };

            HedgeStats stats = readToTheEnd(story, story.reads(after -> after));

            assertThat(story.a.events).contains("55 ms cancel", "55 ms return");
            assertThat(stats.hooksFailed()).isZero();
        });
    }

    @Test
    void a_statement_that_its_reader_has_closed_is_not_harmed_by_its_cancel(Logs logs) {
        ReadStory.told(story -> {
            story.b.queryTakes = ofMillis(5);
            HedgedReads reads = story.reads(after -> after);

            String value = reads.read("x", q -> {}, rows -> {
                rows.next();
                String text = rows.getString(1);
                rows.getStatement().close();
                story.sim.sleepUninterruptibly(ofMillis(60));
                return text;
            });
            story.hedgers.getFirst().awaitQuiet(ofSeconds(60));

            assertThat(value).isEqualTo("x");
            assertThat(story.hedgers.getFirst().stats().hooksFailed()).isEqualTo(1);
            assertThat(story.hedgers.getFirst().stats().interrupts()).isZero();
        });

        logs.expect();
        assertThat(logs.records())
                .singleElement()
                .satisfies(record -> assertThat(record.getThrown())
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("90007")));
    }

    /**
     * Seen to fail under the fourth seed, by a rollback that was hit, without the registration's {@code close} at the end
     * of the step.
     */
    @Test
    void a_cancel_on_its_way_when_the_query_ends_hits_nothing_else() {
        ReadStory.toldInManyOrders(Simulation.options().stalls(0.05, ofMillis(2)), 300, story -> {
            story.a.poolSize = 1;
            story.a.autoCommit = false;
            story.a.rollbackTakes = ofMillis(3);
            story.a.cancelTakes = ofMillis(story.sim.random().nextInt(6));
            story.a.queryTakes = ofMillis(23 + story.sim.random().nextInt(6));
            story.b.queryTakes = ofMillis(5);
            HedgedReads reads = story.reads(after -> after);
            Thread innocent = story.sim.start("innocent", () -> {
                for (int i = 0; i < 3; i++) {
                    story.a.query(ofMillis(4));
                }
            });

            List<String> rows = reads.query("x", q -> {}, row -> row.getString(1));

            story.sim.join(innocent);
            assertThat(rows).containsExactly("x");
        });
    }
}
