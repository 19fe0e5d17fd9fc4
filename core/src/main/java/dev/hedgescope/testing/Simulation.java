package dev.hedgescope.testing;

import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.internal.time.Nanos;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Runs concurrent code in virtual time, one thread at a time, in an order that a seed decides: the same seed and the
 * same code give the same interleaving, every time. What would take seconds takes a fraction of a millisecond, and a
 * race that shows once in a million calls is found by trying some thousand seeds, and seen again by naming one.
 *
 * {@snippet :
 * Simulation.run(42, sim -> {
 *     try (Hedger hedger = Hedger.builder("quote").runtime(sim.runtime()).build()) {
 *         String quote = hedger.call(attempt -> {
 *             sim.sleep(Duration.ofMillis(attempt.isPrimary() ? 500 : 20));
 *             return "from #" + attempt.number();
 *         });
 *         sim.log(quote);
 *     }
 * });
 * }
 *
 * <p>The body runs as a thread named {@code main}; {@link #start} starts further ones, and so does whatever uses
 * {@link #runtime()}. All are virtual threads, and each waits while another runs. A thread may lose its turn at every
 * <em>point</em>: before and after each verb of the runtime, at each method of this class that says so, and at
 * {@link #point()}. Between two points it runs alone.
 *
 * <p><b>Time</b> moves only when no thread can run: then the clock jumps to the next moment for which one waits.
 * Computing takes no time.
 *
 * <p><b>Rules for the code inside.</b>
 *
 * <ol>
 *   <li>It waits through the simulation only: {@link #sleep}, {@link #join}, the runtime's {@code park}. Another thread
 *       cannot run while one sits in {@code Thread.sleep}, a contended lock, a queue or a socket; after ten seconds of
 *       real time it is reported by name and stack.
 *   <li>It reaches no point while it holds a lock that another thread of the simulation wants.
 *   <li>It interrupts other threads with {@link #interrupt}. {@link Thread#interrupt()} on the current thread is fine;
 *       on another one it is noticed only when that thread next runs.
 *   <li>What it does depends on nothing but the simulation: {@link #random()} instead of other random numbers, no real
 *       clock, no iteration in the order of identity hash codes.
 * </ol>
 *
 * <p><b>The end.</b> When the body has returned, the other threads run on until the last has ended. The simulation
 * fails with a {@link SimulationFailure}, which names the seed and shows the transcript, when the body or a thread
 * throws, when threads are left and none can ever run (a deadlock), when time stands still although threads run (a
 * livelock), or when a thread blocks outside. The threads that are left then die of an {@code Error} thrown by whatever
 * they use next of the simulation.
 *
 * <p>With {@code -Dhedgescope.seed=42} every run uses seed 42, whatever its code says.
 *
 * <p><b>Memory effects.</b> What a thread does before a point happens-before everything that other threads do after it.
 * Simulations find wrong orders of steps; they do not find missing {@code volatile}s.
 *
 * <p>The methods of the object may be called by threads of the simulation only; others get an
 * {@link IllegalStateException}. Any number of simulations may run at the same time, each called by a thread of its
 * own.
 */
public final class Simulation {

    /** What is simulated. */
    @FunctionalInterface
    public interface Body {

        /**
         * Runs as the thread {@code main} of the simulation.
         *
         * @throws Exception fails the simulation
         */
        void run(Simulation sim) throws Exception;
    }

    /** What a thread started by {@link #start} does. */
    @FunctionalInterface
    public interface Action {

        /**
         * Runs on its own thread.
         *
         * @throws Exception fails the simulation
         */
        void run() throws Exception;
    }

    /**
     * What a simulation did.
     *
     * @param seed the seed it ran under
     * @param transcript what was logged, in order, each line with its time
     * @param elapsed the virtual time from start to end
     * @param points how often the running thread could have lost its turn
     * @param switches how often another thread got its turn
     * @param fingerprint a hash of who ran in which order: equal for equal interleavings
     */
    public record Result(
            long seed, List<String> transcript, Duration elapsed, long points, long switches, long fingerprint) {

        public Result {
            transcript = List.copyOf(transcript);
        }
    }

    private final Scheduler scheduler;
    private final HedgeRuntime runtime;
    private final long seed;
    private final RandomGenerator random;

    Simulation(Scheduler scheduler, HedgeRuntime runtime, long seed, SplittableRandom random) {
        this.scheduler = scheduler;
        this.runtime = runtime;
        this.seed = seed;
        this.random = random;
    }

    /**
     * Runs the body in an order decided by the seed, and returns when its last thread has ended.
     *
     * @throws SimulationFailure if it fails
     */
    public static Result run(long seed, Body body) {
        return options().run(seed, body);
    }

    /**
     * Runs the body under each of so many consecutive seeds; under one alone if {@code -Dhedgescope.seed} names it.
     *
     * @throws SimulationFailure if it fails, of the first seed that does
     */
    public static void runAll(long firstSeed, int seeds, Body body) {
        options().runAll(firstSeed, seeds, body);
    }

    /**
     * Runs the body without preemption, see {@link SimulationOptions#orderly()}.
     *
     * @throws SimulationFailure if it fails
     */
    public static Result orderly(Body body) {
        return options().orderly().run(0, body);
    }

    /** {@return new options, which end in a {@link SimulationOptions#run}} */
    public static SimulationOptions options() {
        return new SimulationOptions();
    }

    /** {@return the runtime whose time, threads, waiting, interrupts and chance are those of this simulation} */
    public HedgeRuntime runtime() {
        return runtime;
    }

    /** {@return the seed of this run} */
    public long seed() {
        return seed;
    }

    /** {@return random numbers for the body and its threads, from a stream of their own that the seed decides} */
    public RandomGenerator random() {
        return random;
    }

    /** {@return virtual time since the start, in whole milliseconds; clock jumps do not touch it} */
    public long millis() {
        return scheduler.elapsed() / 1_000_000;
    }

    /** Adds a line to the transcript, with the time before it: {@code 12 ms text}. */
    public void log(String text) {
        scheduler.log(text);
    }

    /** {@return the lines logged so far} */
    public List<String> transcript() {
        scheduler.elapsed();
        return scheduler.transcript();
    }

    /** A point: another thread may run here. */
    public void point() {
        scheduler.point();
    }

    /**
     * Starts a thread. A point before and after.
     *
     * @param body what it does; what it throws fails the simulation
     */
    public Thread start(String name, Action body) {
        scheduler.point();
        Thread thread = scheduler.start(name, body);
        scheduler.point();
        return thread;
    }

    /**
     * Sleeps, in virtual time. A point before and after. A duration too long for a {@code long} of nanoseconds never
     * ends.
     *
     * @throws InterruptedException if the flag is set, or is set meanwhile; the flag is then cleared
     */
    public void sleep(Duration duration) throws InterruptedException {
        scheduler.point();
        throwIfInterrupted();
        scheduler.sleep(Nanos.of(duration), true);
        scheduler.point();
        throwIfInterrupted();
    }

    /**
     * Sleeps to the end, in virtual time, whatever the interrupt flag says, and leaves it as it is. A point before and
     * after.
     */
    public void sleepUninterruptibly(Duration duration) {
        scheduler.point();
        scheduler.sleep(Nanos.of(duration), false);
        scheduler.point();
    }

    /**
     * Waits for the end of a thread of this simulation. A point before and after.
     *
     * @throws InterruptedException if the flag is set, or is set meanwhile; the flag is then cleared
     */
    public void join(Thread thread) throws InterruptedException {
        scheduler.point();
        throwIfInterrupted();
        scheduler.join(thread);
        scheduler.point();
        throwIfInterrupted();
    }

    /**
     * Waits until the calling thread is the only one left. A point before and after.
     *
     * @throws InterruptedException as {@link #join}
     */
    public void joinAll() throws InterruptedException {
        for (Thread other = scheduler.another(); other != null; other = scheduler.another()) {
            join(other);
        }
    }

    /** Interrupts a thread of this simulation. A point before and after. */
    public void interrupt(Thread thread) {
        runtime.interrupt(thread);
    }

    /**
     * Makes the clock that the code under test sees jump, forwards or, by a negative duration, backwards. Waits are not
     * affected: they last as long as they were to last.
     */
    public void jumpClock(Duration duration) {
        scheduler.jumpClock(duration.toNanos());
    }

    private static void throwIfInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }
}
