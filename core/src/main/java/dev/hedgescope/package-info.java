/** Hedged requests for blocking code on virtual threads. No parameter, result or field is null unless marked so. */
@NullMarked
package dev.hedgescope;

import org.jspecify.annotations.NullMarked;
