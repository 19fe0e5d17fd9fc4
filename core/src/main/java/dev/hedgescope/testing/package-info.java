/** Virtual time for tests: one thread at a time, seeded, replayable. */
@NullMarked
package dev.hedgescope.testing;

import org.jspecify.annotations.NullMarked;
