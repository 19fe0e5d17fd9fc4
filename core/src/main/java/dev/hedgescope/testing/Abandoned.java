package dev.hedgescope.testing;

/**
 * Ends a thread whose simulation has failed: thrown by whatever verb it uses next, so that it does not run on among the
 * ruins. An {@code Error}, since code under test may catch {@code Exception}; without a stack, since nobody reads it.
 */
final class Abandoned extends Error {

    private static final long serialVersionUID = 1L;

    Abandoned() {
        super("the simulation of this thread has failed and is over", null, false, false);
    }
}
