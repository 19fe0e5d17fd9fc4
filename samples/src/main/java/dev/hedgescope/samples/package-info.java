/** Programs to run and to copy from: hedgescope on a real PostgreSQL with standbys, and on real HTTP services. */
@NullMarked
package dev.hedgescope.samples;

import org.jspecify.annotations.NullMarked;
