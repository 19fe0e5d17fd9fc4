/** Clock, threads, deadlines: the system runtime and the arithmetic of time. */
@NullMarked
package dev.hedgescope.internal.time;

import org.jspecify.annotations.NullMarked;
