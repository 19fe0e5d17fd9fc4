import dev.hedgescope.Attempt;
import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgeException;
import dev.hedgescope.HedgeListener;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeScope;
import dev.hedgescope.HedgeStats;
import dev.hedgescope.Hedger;
import dev.hedgescope.Limiter;
import dev.hedgescope.Replica;
import dev.hedgescope.Replicas;
import dev.hedgescope.Straggler;
import dev.hedgescope.testing.Simulation;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** A program of somebody else: what the documentation shows, compiled against the jar alone. */
public class Outside {

    record Quote(String from, boolean isFresh) {
        void release() {}
    }

    static Quote quote(Attempt attempt) throws IOException, InterruptedException {
        if (attempt.isPrimary()) {
            Thread.sleep(60_000);
        }
        return new Quote("#" + attempt.number(), true);
    }

    public static void main(String[] args) throws Exception {
        HedgeListener listener = new HedgeListener() {};
        Hedger hedger = Hedger.builder("pricing.quote")
                .policy(HedgePolicy.builder()
                        .delay(HedgeDelay.fixed(Duration.ofMillis(20)))
                        .maxAttempts(2)
                        .deadline(Duration.ofSeconds(30))
                        .hedgeOn(e -> e instanceof IOException)
                        .build())
                .budget(HedgeBudget.unlimited())
                .limiter(Limiter.fixed(64))
                .listener(listener)
                .build();

        Quote quote = hedger.call(Outside::quote);
        check(quote.from().equals("#1"), "the hedge wins");

        try {
            hedger.call(attempt -> {
                throw new IOException("no");
            });
            check(false, "a call throws what the lambda throws");
        } catch (IOException e) {
            check(e.getMessage().equals("no"), "as it is");
        }

        try (HedgeScope<Quote> scope = hedger.open()) {
            scope.acceptIf(Quote::isFresh).onDiscard(Quote::release);
            scope.fork(attempt -> new Quote("east", false));
            scope.fork(attempt -> new Quote("west", true));
            check(scope.join().from().equals("west"), "an accepted value wins");
        }

        Replicas<String> replicas =
                Replicas.of(new Replica<>("db-a", "eu-1/zone-a", "a"), new Replica<>("db-b", "eu-1/zone-b", "b"));
        String first = hedger.call(replicas, (attempt, db) -> db);
        check(List.of("a", "b").contains(first), "a replica answers");
        int guarded = hedger.call(attempt -> attempt.onCancel(() -> {}, () -> 7));
        check(guarded == 7, "a guarded step returns its value");

        check(hedger.awaitQuiet(Duration.ofSeconds(30)), "all is quiet");
        HedgeStats stats = hedger.stats();
        check(stats.calls() == 5 && stats.won() == 4 && stats.failed() == 1, stats.toString());
        List<Straggler> alive = hedger.close(Duration.ofSeconds(30));
        check(alive.isEmpty(), "nothing runs any more");

        Simulation.run(42, sim -> {
            Hedger simulated = Hedger.builder("test").runtime(sim.runtime()).budget(HedgeBudget.unlimited()).build();
            try {
                simulated.call(HedgePolicy.builder().deadline(Duration.ofMillis(500)).build(), attempt -> {
                    sim.sleep(Duration.ofHours(1));
                    return 1;
                });
                check(false, "the deadline passes");
            } catch (HedgeException.TimedOut expected) {
                check(sim.millis() >= 500, "in virtual time");
            }
            simulated.close();
        });
        System.out.println("the outside program is content");
    }

    private static void check(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }
}
