package dev.hedgescope.benchmarks;

import dev.hedgescope.Hedger;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Compares a hedged call that needs no hedge with the floor, in one JVM, block by block, and says whether it keeps to its
 * limits: 1.3 times the floor in time, 1.5 times in bytes.
 *
 * <p>A shared machine gets slower and faster from one second to the next; two blocks that follow each other mostly see the
 * same machine. So each ratio is one of neighbours, and who of the two comes first alternates.
 *
 * <p>Bytes are counted in a second JVM that gives every object its place in the heap at once and moves none during a block
 * ({@value #EXACT_BYTES}): what the heap has grown by is then exact, whichever thread allocated it. They are judged from a
 * platform caller: a virtual one allocates, in both, whenever it is unmounted, which is a matter of luck.
 */
public final class Interleaved {

    private static final String EXACT_BYTES = "-XX:-UseTLAB -XX:+UseSerialGC -Xms512m -Xmx512m -Xmn400m";
    private static final double MOST_TIME = 1.3;
    private static final double MOST_BYTES = 1.5;

    private static final int CALLS = 2_000;
    private static final int WARM_UP = 150;
    private static final int ROUNDS = 400;
    private static final int ROUNDS_OF_BYTES = 50;

    private Interleaved() {}

    /** Runs one block. {@return nanoseconds, or bytes, for each operation} */
    private interface Meter {
        double perOperation(Operation operation) throws Exception;
    }

    /** The floor and a hedged call, one after the other. */
    private record Pair(double floor, double hedged) {
        double ratio() {
            return hedged / floor;
        }

        double difference() {
            return hedged - floor;
        }
    }

    public static void main(String[] args) throws Exception {
        try (Hedger hedger = Operation.hedger()) {
            if (args.length > 0) {
                List<Pair> bytes = pairs(hedger, Interleaved::bytes, ROUNDS_OF_BYTES);
                print("bytes from a platform caller", bytes, "B");
                verdict("bytes", MOST_BYTES, bytes);
                return;
            }
            List<Pair> virtual = new ArrayList<>();
            Thread caller = Thread.ofVirtual().name("caller").start(() -> collect(hedger, virtual));
            caller.join();
            print("time from a virtual caller", virtual, "ns");
            List<Pair> platform = pairs(hedger, Interleaved::nanos, ROUNDS);
            print("time from a platform caller", platform, "ns");
            verdict("time, virtual caller", MOST_TIME, virtual);
            verdict("time, platform caller", MOST_TIME, platform);
        }
        System.exit(countBytes());
    }

    private static void collect(Hedger hedger, List<Pair> into) {
        try {
            into.addAll(pairs(hedger, Interleaved::nanos, ROUNDS));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Pair> pairs(Hedger hedger, Meter meter, int rounds) throws Exception {
        Operation floor = Operation.floor();
        Operation hedged = Operation.hedged(hedger);
        List<Pair> pairs = new ArrayList<>();
        for (int round = -WARM_UP; round < rounds; round++) {
            boolean floorFirst = round % 2 == 0;
            double first = meter.perOperation(floorFirst ? floor : hedged);
            double second = meter.perOperation(floorFirst ? hedged : floor);
            if (round >= 0) {
                pairs.add(floorFirst ? new Pair(first, second) : new Pair(second, first));
            }
        }
        return pairs;
    }

    private static double nanos(Operation operation) throws Exception {
        long start = System.nanoTime();
        for (int i = 0; i < CALLS; i++) {
            operation.run();
        }
        return (System.nanoTime() - start) / (double) CALLS;
    }

    private static double bytes(Operation operation) throws Exception {
        System.gc();
        long before = used();
        for (int i = 0; i < CALLS; i++) {
            operation.run();
        }
        return (used() - before) / (double) CALLS;
    }

    private static long used() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** Starts the JVM that counts bytes. {@return its exit status} */
    private static int countBytes() throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(EXACT_BYTES.split(" ")));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Interleaved.class.getName(), "bytes"));
        return new ProcessBuilder(command).inheritIO().start().waitFor();
    }

    private static void print(String what, List<Pair> pairs, String unit) {
        say(
                "%s: floor %.0f %s, hedged %.0f %s, %.0f more; 10th percentiles %.0f and %.0f %s; ratio: median %.2f, 10th"
                        + " percentile %.2f, of %d pairs of %d calls",
                what,
                percentile(50, pairs.stream().map(Pair::floor).toList()),
                unit,
                percentile(50, pairs.stream().map(Pair::hedged).toList()),
                unit,
                percentile(50, pairs.stream().map(Pair::difference).toList()),
                percentile(10, pairs.stream().map(Pair::floor).toList()),
                percentile(10, pairs.stream().map(Pair::hedged).toList()),
                unit,
                percentile(50, pairs.stream().map(Pair::ratio).toList()),
                percentile(10, pairs.stream().map(Pair::ratio).toList()),
                pairs.size(),
                CALLS);
    }

    private static void verdict(String what, double most, List<Pair> pairs) {
        double median = percentile(50, pairs.stream().map(Pair::ratio).toList());
        say(
                "%s: at most %.1f times the floor: %s (%.2f)",
                what, most, median <= most ? "holds" : "DOES NOT HOLD", median);
    }

    private static double percentile(int percent, List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        return sorted.get((sorted.size() - 1) * percent / 100);
    }

    private static void say(String format, Object... values) {
        System.out.println(String.format(Locale.ROOT, format, values));
    }
}
