package dev.hedgescope.samples;

import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgePolicy;
import java.net.http.HttpClient;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;

/**
 * One half of the comparison: the same load and the same troubles, by one policy for queries and one for service calls.
 * Pools, clients and hedgers are its own, so that nothing that is stuck in one arm reaches the next.
 */
final class Arm {

    /** The load. */
    record Load(long seed, double queriesPerSecond, double pagesPerSecond, Duration warmUp, Duration length) {}

    /**
     * What an arm has shown.
     *
     * @param queries of queries
     * @param fetches of service calls
     * @param pages how long whole pages took
     * @param late how late the load itself was, since the machine was busy
     */
    record Result(Dependency.Figures queries, Dependency.Figures fetches, Latencies pages, Latencies late) {}

    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final Duration PERMIT_WAIT = Duration.ofSeconds(1);

    private final PostgresCluster cluster;
    private final PageServices services;
    private final Dependency queries;
    private final Dependency fetches;

    private Arm(PostgresCluster cluster, PageServices services, HedgePolicy queries, HedgePolicy fetches) {
        this.cluster = cluster;
        this.services = services;
        this.queries = new Dependency("account.find", queries);
        this.fetches = new Dependency("page.fetch", fetches);
    }

    /** {@return an arm whose calls have one attempt} */
    static Arm unhedged(PostgresCluster cluster, PageServices services) {
        HedgePolicy once = HedgePolicy.builder()
                .delay(HedgeDelay.never())
                .maxAttempts(1)
                .deadline(DEADLINE)
                .permitWait(PERMIT_WAIT)
                .build();
        return new Arm(cluster, services, once, once);
    }

    /** {@return an arm that hedges what takes longer than the 95th percentile of the other arm} */
    static Arm hedged(PostgresCluster cluster, PageServices services, Result unhedged) {
        return new Arm(
                cluster,
                services,
                hedgedAfter(unhedged.queries().latencies().percentile(95)),
                hedgedAfter(unhedged.fetches().latencies().percentile(95)));
    }

    private static HedgePolicy hedgedAfter(Duration delay) {
        return HedgePolicy.builder()
                .delay(HedgeDelay.fixed(delay))
                .maxAttempts(2)
                .deadline(DEADLINE)
                .permitWait(PERMIT_WAIT)
                .build();
    }

    /** Warms up without trouble, then measures with it. */
    Result run(String name, Load load, Progress progress) throws SQLException, InterruptedException {
        try (Pools pools = new Pools(cluster);
                HttpClient http = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .build();
                TailMaker tail = new TailMaker(cluster, services)) {
            progress.begin(name + ": warming up", load.warmUp());
            serve(pools, http, load, load.seed() + 1_000, load.warmUp());
            progress.begin(name + ": measuring", load.length());
            tail.begin(load.seed(), load.length());
            Result result = serve(pools, http, load, load.seed(), load.length());
            progress.end();
            return result;
        }
    }

    private Result serve(Pools pools, HttpClient http, Load load, long seed, Duration length)
            throws InterruptedException {
        try (Dependency.Watched query = queries.open();
                Dependency.Watched fetch = fetches.open()) {
            Accounts accounts = new Accounts(query.hedger, pools.replicas());
            Pages pages = new Pages(fetch.hedger, http, services.replicas());
            Latencies pageLatencies = new Latencies();
            Thread sampler = sampling(query, fetch);

            List<OpenLoop.Arrival> pageArrivals =
                    OpenLoop.schedule(seed + 1, load.pagesPerSecond(), length, PostgresCluster.ACCOUNTS);
            Thread pageLoad = Thread.ofPlatform().daemon().name("page load").start(() -> {
                OpenLoop.run(pageArrivals, (id, start) -> {
                    try {
                        pages.page(id, () -> fetch.answered(start));
                        pageLatencies.add(System.nanoTime() - start);
                    } catch (ExecutionException | InterruptedException failure) {
                        // counted by the hedger, shown in the table
                    }
                });
            });
            Latencies late = OpenLoop.run(
                    OpenLoop.schedule(seed, load.queriesPerSecond(), length, PostgresCluster.ACCOUNTS), (id, start) -> {
                        try {
                            accounts.find(id);
                            query.answered(start);
                        } catch (SQLException | RuntimeException | InterruptedException failure) {
                            // counted by the hedger, shown in the table
                        }
                    });
            pageLoad.join();
            sampler.interrupt();
            sampler.join();
            return new Result(query.figures(), fetch.figures(), pageLatencies, late);
        }
    }

    private static Thread sampling(Dependency.Watched query, Dependency.Watched fetch) {
        return Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    query.sample();
                    fetch.sample();
                    Thread.sleep(10);
                }
            } catch (InterruptedException done) {
                // the load is over
            }
        });
    }
}
