package dev.hedgescope.testing;

import dev.hedgescope.internal.time.Nanos;
import dev.hedgescope.testing.Simulation.Body;
import dev.hedgescope.testing.Simulation.Result;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How a simulation schedules, which faults it injects, and when it gives up; made by {@link Simulation#options()}.
 *
 * {@snippet :
 * Simulation.options()
 *     .stalls(0.01, Duration.ofMillis(20))
 *     .startFails(StartFailure.THROW, name -> name.endsWith("#1"))
 *     .run(42, sim -> { ... });
 * }
 *
 * <p>Each method changes this object and returns it. Once complete it may be used for any number of runs, also at the
 * same time. Rates are probabilities from 0 to 1; durations are virtual time unless said otherwise.
 */
public final class SimulationOptions {

    /** The property that replaces the seed of every run, to see one failure again. */
    static final String SEED_PROPERTY = "hedgescope.seed";

    /** What {@link dev.hedgescope.HedgeRuntime#start} does when a thread cannot be started. */
    public enum StartFailure {
        /** Throws an {@link OutOfMemoryError}, as the JDK does. */
        THROW,
        /** Returns null, as a thread factory may. */
        RETURN_NULL
    }

    private boolean orderly;
    private @Nullable Chooser chooser;

    double spuriousRate = 0.02;
    double stallRate;
    long longestStall;
    double lateRate;
    long longestLateness;
    double startFailureRate;
    Predicate<String> startFails = name -> false;
    StartFailure startFailure = StartFailure.THROW;
    long firstNanoTime = -10_000_000;
    int pointsPerInstant = 100_000;
    int pointsAfterwards = 1_000_000;
    boolean logSwitches;
    long watchdog = 10_000_000_000L;

    SimulationOptions() {}

    /**
     * Never preempts a thread: it runs until it blocks or ends, then the one that has waited longest runs. Spurious
     * wake-ups are off until set again. What happens then no longer depends on the seed, unless the code asks for
     * random numbers; use it for stories that are compared line by line.
     */
    public SimulationOptions orderly() {
        orderly = true;
        spuriousRate = 0;
        return this;
    }

    /** Lets the scheduling be decided by the given strategy, which serves one run. */
    SimulationOptions chooser(Chooser chooser) {
        this.chooser = chooser;
        return this;
    }

    /** Sets how often a park returns for no reason, at once or before its time is over; 0.02 unless set. */
    public SimulationOptions spuriousWakeups(double rate) {
        spuriousRate = rate("rate of spurious wake-ups", rate);
        return this;
    }

    /**
     * Holds threads up: at each point, with the given probability, the running thread does nothing for a random time.
     * It stands for a thread without a core, a pause of the garbage collector, a slow start; without it a thread that
     * can run always runs before time passes.
     */
    public SimulationOptions stalls(double rate, Duration longest) {
        stallRate = rate("rate of stalls", rate);
        longestStall = positive("longest stall", longest);
        return this;
    }

    /** Lets an unpark take effect late: with the given probability, after a random time. */
    public SimulationOptions lateUnparks(double rate, Duration longest) {
        lateRate = rate("rate of late unparks", rate);
        longestLateness = positive("longest lateness", longest);
        return this;
    }

    /**
     * Lets the starting of threads through the runtime fail; not that of {@link Simulation#start}.
     *
     * @param which which threads, by name; asked on the starting thread, and free to change its mind
     */
    public SimulationOptions startFails(StartFailure how, Predicate<String> which) {
        startFailure = how;
        startFails = which;
        return this;
    }

    /** The same for threads at random. */
    public SimulationOptions startFails(StartFailure how, double rate) {
        startFailure = how;
        startFailureRate = rate("rate of failed starts", rate);
        return this;
    }

    /**
     * Sets what {@link dev.hedgescope.HedgeRuntime#nanoTime} reads at the start. Unless set it is −10 ms, so that the
     * clock passes zero soon.
     */
    public SimulationOptions clockStartsAt(long nanoTime) {
        firstNanoTime = nanoTime;
        return this;
    }

    /**
     * Lets the clock wrap around from {@link Long#MAX_VALUE} to {@link Long#MIN_VALUE} at this time after the start.
     */
    public SimulationOptions clockWrapsAfter(Duration time) {
        return clockStartsAt(Long.MAX_VALUE - time.toNanos() + 1);
    }

    /** Sets after how many points at one virtual instant a run counts as a livelock; 100,000 unless set. */
    public SimulationOptions pointsPerInstant(int points) {
        pointsPerInstant = positive("points per instant", points);
        return this;
    }

    /** Sets how many points are left to the other threads once the body has returned; 1,000,000 unless set. */
    public SimulationOptions pointsAfterwards(int points) {
        pointsAfterwards = positive("points afterwards", points);
        return this;
    }

    /**
     * Sets the real time after which a thread that has reached no point is reported as blocked outside the simulation;
     * it may take up to twice as long. 10 s unless set.
     */
    public SimulationOptions watchdog(Duration realTime) {
        watchdog = positive("watchdog", realTime);
        return this;
    }

    /** Adds a line to the transcript whenever another thread gets its turn: {@code 12 ms → name}. */
    public SimulationOptions logSwitches() {
        logSwitches = true;
        return this;
    }

    /** Runs the body as {@link Simulation#run} does, with these options. */
    public Result run(long seed, Body body) {
        if (Roster.find(Thread.currentThread()) != null) {
            throw new IllegalStateException("a simulation cannot run inside a simulation");
        }
        long actual = Long.getLong(SEED_PROPERTY, seed);
        SplittableRandom root = new SplittableRandom(actual);
        SplittableRandom forScheduling = root.split();
        Faults faults = new Faults(this, root.split());
        Scheduler scheduler = new Scheduler(actual, this, chooserFor(forScheduling), faults);
        SimulatedRuntime runtime = new SimulatedRuntime(scheduler, faults, this, root.split());
        Simulation simulation = new Simulation(scheduler, runtime, actual, root.split());
        return scheduler.run(() -> body.run(simulation));
    }

    /** Runs the body under each of the seeds as {@link Simulation#runAll} does, with these options. */
    public void runAll(long firstSeed, int seeds, Body body) {
        int runs = Long.getLong(SEED_PROPERTY) == null ? seeds : 1;
        for (int i = 0; i < runs; i++) {
            run(firstSeed + i, body);
        }
    }

    private Chooser chooserFor(SplittableRandom random) {
        if (chooser != null) {
            return chooser;
        }
        return orderly ? Chooser.orderly() : Chooser.random(random);
    }

    private static double rate(String what, double rate) {
        if (!(rate >= 0 && rate <= 1)) {
            throw new IllegalArgumentException(what + " must be between 0 and 1, was " + rate);
        }
        return rate;
    }

    private static int positive(String what, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(what + " must be at least 1, was " + value);
        }
        return value;
    }

    private static long positive(String what, Duration duration) {
        if (!duration.isPositive()) {
            throw new IllegalArgumentException(what + " must be positive, was " + duration);
        }
        return Nanos.of(duration);
    }
}
