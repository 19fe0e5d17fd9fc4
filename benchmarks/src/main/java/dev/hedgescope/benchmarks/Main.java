package dev.hedgescope.benchmarks;

/** Runs {@link Interleaved}, or JMH if there are arguments for it. */
public final class Main {

    private Main() {}

    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            Interleaved.main(args);
        } else {
            org.openjdk.jmh.Main.main(args);
        }
    }
}
