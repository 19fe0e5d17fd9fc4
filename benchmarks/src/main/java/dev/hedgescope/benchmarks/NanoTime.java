package dev.hedgescope.benchmarks;

import dev.hedgescope.HedgeRuntime;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/** What one look at the clock costs: the unit in which the overhead of a call is counted. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class NanoTime {

    @Benchmark
    public long systemRuntime() {
        return HedgeRuntime.system().nanoTime();
    }
}
