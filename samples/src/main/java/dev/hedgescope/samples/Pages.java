package dev.hedgescope.samples;

import dev.hedgescope.Hedger;
import dev.hedgescope.Replicas;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Pages put together from the answers of several services. A page is as slow as the slowest of them, so the tail of one
 * service is met by many pages; each fetch is hedged for itself, over the origins of its service.
 */
final class Pages {

    private final Hedger hedger;
    private final HttpClient http;
    private final List<Replicas<URI>> services;

    Pages(Hedger hedger, HttpClient http, List<Replicas<URI>> services) {
        this.hedger = hedger;
        this.http = http;
        this.services = services;
    }

    /**
     * Fetches from all services at once and waits for all.
     *
     * @param id what the page is about
     * @param fetched told after each answer, on the thread that fetched it
     * @return the page
     */
    String page(long id, Runnable fetched) throws ExecutionException, InterruptedException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> parts = new ArrayList<>();
            for (Replicas<URI> service : services) {
                parts.add(threads.submit(() -> {
                    String part = fetch(service, id);
                    fetched.run();
                    return part;
                }));
            }
            StringBuilder page = new StringBuilder();
            for (Future<String> part : parts) {
                page.append(part.get()).append('\n');
            }
            return page.toString();
        }
    }

    private String fetch(Replicas<URI> service, long id) throws IOException, InterruptedException {
        // No hook: an interrupt is what cancels HttpClient.send.
        return hedger.call(service, (attempt, origin) -> {
            HttpRequest request =
                    HttpRequest.newBuilder(origin.resolve("?id=" + id)).build();
            HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw new IOException(origin + " answered " + response.statusCode());
            }
            return response.body();
        });
    }
}
