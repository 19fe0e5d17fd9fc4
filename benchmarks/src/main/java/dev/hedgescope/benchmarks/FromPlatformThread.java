package dev.hedgescope.benchmarks;

import org.openjdk.jmh.annotations.Fork;

/** Calls made by a platform thread. */
@Fork(2)
public class FromPlatformThread extends Calls {}
