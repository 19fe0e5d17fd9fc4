package dev.hedgescope.benchmarks;

import dev.hedgescope.Hedger;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What one call costs, by the ways of {@link Operation}. Look at allocation ({@code -prof gc}) first: on a shared machine
 * times of different forks differ by more than these ways do, and {@link Interleaved} compares them better.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Benchmark)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public abstract class Calls {

    private final Hedger hedger = Operation.hedger();
    private final ExecutorService executor = Operation.executor();
    private final Operation floor = Operation.floor();
    private final Operation submitted = Operation.submitted(executor);
    private final Operation structured = Operation.structured();
    private final Operation hedged = Operation.hedged(hedger);

    @Benchmark
    public Object floor() throws Exception {
        return floor.run();
    }

    @Benchmark
    public Object executor() throws Exception {
        return submitted.run();
    }

    @Benchmark
    public Object structured() throws Exception {
        return structured.run();
    }

    @Benchmark
    public Object hedged() throws Exception {
        return hedged.run();
    }

    @TearDown
    public void close() {
        executor.close();
        hedger.close();
    }
}
