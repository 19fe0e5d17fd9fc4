package dev.hedgescope.benchmarks;

import org.openjdk.jmh.annotations.Fork;

/** Calls made by a virtual thread. */
@Fork(value = 2, jvmArgsAppend = "-Djmh.executor=VIRTUAL")
public class FromVirtualThread extends Calls {}
