package dev.hedgescope.samples;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.hedgescope.Replica;
import dev.hedgescope.Replicas;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Five small HTTP services, each on two origins, on ports of the loopback address that were free. */
final class PageServices implements AutoCloseable {

    static final int ORIGINS = 2;

    private static final List<String> NAMES = List.of("product", "price", "stock", "reviews", "delivery");

    static {
        // Read by the JDK's server once. Without it each answer on a kept connection waits 40 ms for Nagle's algorithm.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<List<Origin>> services = new ArrayList<>();

    private PageServices() {}

    /** {@return the services, started} */
    static PageServices start() throws IOException {
        PageServices all = new PageServices();
        try {
            for (String name : NAMES) {
                List<Origin> origins = new ArrayList<>();
                all.services.add(origins);
                for (int number = 0; number < ORIGINS; number++) {
                    origins.add(new Origin(name, all.threads));
                }
            }
            return all;
        } catch (IOException failure) {
            all.close();
            throw failure;
        }
    }

    /** {@return how many services there are} */
    int size() {
        return services.size();
    }

    /** {@return the origins of each service} New objects each time: what is learned of an origin is not shared. */
    List<Replicas<URI>> replicas() {
        List<Replicas<URI>> all = new ArrayList<>();
        for (List<Origin> origins : services) {
            List<Replica<URI>> replicas = new ArrayList<>();
            for (int number = 0; number < origins.size(); number++) {
                replicas.add(new Replica<>("origin-" + number, "zone-" + number, origins.get(number).uri));
            }
            all.add(Replicas.of(replicas));
        }
        return all;
    }

    /** Lets one origin answer nothing for a while, as a long garbage collection would. */
    void stall(int service, int origin, Duration length) {
        services.get(service).get(origin).stalledUntil = System.nanoTime() + length.toNanos();
    }

    @Override
    public void close() {
        services.forEach(origins -> origins.forEach(Origin::stop));
        threads.shutdownNow();
    }

    private static final class Origin {

        private final String name;
        private final HttpServer server;
        private final URI uri;
        private volatile long stalledUntil = System.nanoTime();

        Origin(String name, ExecutorService threads) throws IOException {
            this.name = name;
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(threads);
            server.createContext("/", this::answer);
            server.start();
            uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/" + name);
        }

        private void answer(HttpExchange exchange) throws IOException {
            try (exchange) {
                String id = exchange.getRequestURI().getQuery();
                Thread.sleep(2 + Math.floorMod((id + name).hashCode(), 6));
                for (long left = left(); left > 0; left = left()) {
                    Thread.sleep(Duration.ofNanos(left));
                }
                byte[] body = "{\"service\": \"%s\", \"of\": \"%s\"}"
                        .formatted(name, id)
                        .getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            } catch (InterruptedException stopping) {
                Thread.currentThread().interrupt();
            }
        }

        private long left() {
            return stalledUntil - System.nanoTime();
        }

        void stop() {
            server.stop(0);
        }
    }
}
