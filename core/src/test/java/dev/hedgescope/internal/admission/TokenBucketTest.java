package dev.hedgescope.internal.admission;

import static dev.hedgescope.internal.admission.TokenBucket.TOKEN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.hedgescope.testing.Simulation;
import java.math.BigInteger;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenBucketTest {

    private static final int SEEDS =
            Integer.getInteger("hedgescope.seeds", Boolean.getBoolean("hedgescope.thorough") ? 100_000 : 1_000);

    @Test
    void without_a_floor_the_clock_is_never_read() {
        Simulation.orderly(sim -> {
            TokenBucket bucket = new TokenBucket(0, 5 * TOKEN, 2 * TOKEN, 0, sim.runtime());
            sim.sleep(Duration.ofDays(1));

            assertThat(bucket.balance()).isEqualTo(2 * TOKEN);
        });
    }

    @Test
    void a_floor_accrues_to_the_millionth_and_up_to_the_burst() {
        Simulation.orderly(sim -> {
            TokenBucket bucket = new TokenBucket(0, 5 * TOKEN, 0, TOKEN / 4, sim.runtime());

            sim.sleep(Duration.ofMillis(3_999));
            assertThat(bucket.tryWithdraw()).isFalse();
            sim.sleep(Duration.ofMillis(1));
            assertThat(bucket.tryWithdraw()).isTrue();
            assertThat(bucket.balance()).isZero();
            sim.sleep(Duration.ofNanos(3_999));
            assertThat(bucket.balance()).isZero();
            sim.sleep(Duration.ofNanos(1));
            assertThat(bucket.balance()).isEqualTo(1);
            sim.sleep(Duration.ofDays(1_000));
            assertThat(bucket.balance()).isEqualTo(5 * TOKEN);
        });
    }

    @Test
    void time_spent_with_a_full_purse_is_not_paid_later() {
        Simulation.orderly(sim -> {
            TokenBucket bucket = new TokenBucket(0, 5 * TOKEN, 5 * TOKEN, TOKEN, sim.runtime());
            sim.sleep(Duration.ofHours(1));

            assertThat(withdrawAll(bucket)).isEqualTo(5);

            sim.sleep(Duration.ofMillis(1_500));
            assertThat(withdrawAll(bucket)).isEqualTo(1);
        });
    }

    @Test
    void asking_often_loses_no_time() {
        Simulation.orderly(sim -> {
            TokenBucket bucket = new TokenBucket(0, 5 * TOKEN, 0, TOKEN / 3, sim.runtime());
            int withdrawn = 0;
            for (int i = 0; i < 60_000; i++) {
                sim.sleep(Duration.ofNanos(1_000_001));
                withdrawn += bucket.tryWithdraw() ? 1 : 0;
            }

            assertThat(withdrawn).isBetween(19, 20);
        });
    }

    @Test
    void a_clock_that_goes_back_neither_pays_nor_takes() {
        Simulation.orderly(sim -> {
            TokenBucket bucket = new TokenBucket(TOKEN / 2, 5 * TOKEN, 0, TOKEN, sim.runtime());
            sim.sleep(Duration.ofSeconds(4));
            assertThat(withdrawAll(bucket)).isEqualTo(4);

            sim.jumpClock(Duration.ofSeconds(-10));

            assertThat(bucket.balance()).isZero();
            bucket.deposit();
            bucket.deposit();
            assertThat(withdrawAll(bucket)).isEqualTo(1);
            sim.sleep(Duration.ofSeconds(10));
            assertThat(bucket.balance()).isZero();
            sim.sleep(Duration.ofSeconds(2));
            assertThat(withdrawAll(bucket)).isEqualTo(2);
        });
    }

    @Test
    void a_clock_that_wraps_around_goes_on_paying() {
        Simulation.options().orderly().clockWrapsAfter(Duration.ofSeconds(2)).run(0, sim -> {
            TokenBucket bucket = new TokenBucket(0, 5 * TOKEN, 0, TOKEN, sim.runtime());

            sim.sleep(Duration.ofSeconds(4));

            assertThat(withdrawAll(bucket)).isEqualTo(4);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "1, 999999",
        "1, 1000000000",
        "333333, 10000000001",
        "1000000000, 9223372036854775807",
        "7, 9223372036854775807"
    })
    void what_accrues_is_exact(long perSecond, long nanos) {
        BigInteger exact = BigInteger.valueOf(perSecond)
                .multiply(BigInteger.valueOf(nanos))
                .divide(BigInteger.valueOf(1_000_000_000));

        assertThat(TokenBucket.accrued(perSecond, nanos)).isEqualTo(exact.longValueExact());
    }

    @Test
    void the_purse_obeys_its_law_in_every_interleaving() {
        Simulation.options()
                .stalls(0.02, Duration.ofMillis(200))
                .runAll(1, SEEDS, TokenBucketTest::depositsAndWithdrawals);
    }

    /** Withdrawals in all: no more than tokens at the start, deposits, refunds, floor × time; at the end the sums agree. */
    private static void depositsAndWithdrawals(Simulation sim) throws InterruptedException {
        RandomGenerator random = sim.random();
        long ratio = random.nextLong(TOKEN + 1);
        long burst = (1 + random.nextLong(3)) * TOKEN;
        long initial = random.nextLong(burst + 1);
        long floor = random.nextBoolean() ? 0 : random.nextLong(20 * TOKEN);
        TokenBucket bucket = new TokenBucket(ratio, burst, initial, floor, sim.runtime());
        long[] added = {initial};
        long[] withdrawn = {0};
        for (int i = 0; i < 3; i++) {
            sim.start("user " + i, () -> {
                for (int round = 0; round < 8; round++) {
                    switch (random.nextInt(4)) {
                        case 0 -> {
                            added[0] += ratio;
                            bucket.deposit();
                        }
                        case 1 -> sim.sleep(Duration.ofMillis(random.nextInt(300)));
                        default -> {
                            if (bucket.tryWithdraw()) {
                                withdrawn[0] += TOKEN;
                                if (random.nextInt(3) == 0) {
                                    withdrawn[0] -= TOKEN;
                                    bucket.refund();
                                }
                            }
                        }
                    }
                    assertThat(bucket.balance()).isBetween(0L, burst);
                }
            });
        }
        sim.joinAll();

        long balance = bucket.balance(); // before the time is read, which may move meanwhile
        long accrued =
                TokenBucket.accrued(floor, Duration.ofMillis(sim.millis() + 1).toNanos());
        assertThat(withdrawn[0] + balance).isLessThanOrEqualTo(added[0] + accrued);
    }

    private static int withdrawAll(TokenBucket bucket) {
        int withdrawn = 0;
        while (bucket.tryWithdraw()) {
            withdrawn++;
        }
        return withdrawn;
    }
}
