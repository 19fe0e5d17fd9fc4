package dev.hedgescope.testing;

import java.util.SplittableRandom;

/**
 * Decides which thread runs next; everything else in a simulation follows from these decisions, the code and the seed.
 */
@FunctionalInterface
interface Chooser {

    /**
     * Picks one of the threads that can run.
     *
     * @param candidates how many there are, at least 2
     * @param mayStay whether candidate 0 is the thread that runs now, so that any other choice preempts it; else it has
     *     blocked or ended, and candidate 0 is the one that has waited longest
     * @return a number from 0 to {@code candidates - 1}; the threads that wait stand in the order in which they became
     *     runnable
     */
    int choose(int candidates, boolean mayStay);

    /** {@return the chooser that never preempts, and lets threads run in the order in which they became runnable} */
    static Chooser orderly() {
        return (candidates, mayStay) -> 0;
    }

    /**
     * {@return a chooser that picks at random}
     *
     * <p>The seed also decides how restless it is: a third of all seeds picks anew at every point, a third at every
     * fourth, a third at every sixteenth. Some faults need a switch after each step, others one thread that gets far
     * ahead, and a uniform choice at each point hardly ever lets one get far.
     */
    static Chooser random(SplittableRandom random) {
        int mask = (1 << (2 * random.nextInt(3))) - 1;
        return (candidates, mayStay) -> mayStay && (random.nextInt() & mask) != 0 ? 0 : random.nextInt(candidates);
    }
}
