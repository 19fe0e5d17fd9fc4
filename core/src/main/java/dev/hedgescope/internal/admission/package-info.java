/** What limits the load: budget arithmetic and the limiters. */
@NullMarked
package dev.hedgescope.internal.admission;

import org.jspecify.annotations.NullMarked;
