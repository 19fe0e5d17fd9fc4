/** Hedged reads through JDBC: the query of a loser is stopped on the server, and its connection survives. */
@NullMarked
package dev.hedgescope.jdbc;

import org.jspecify.annotations.NullMarked;
