/** The call: who decides it, how an attempt runs and is stopped, who still runs. */
@NullMarked
package dev.hedgescope.internal.race;

import org.jspecify.annotations.NullMarked;
