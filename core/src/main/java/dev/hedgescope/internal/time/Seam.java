package dev.hedgescope.internal.time;

/**
 * The points at which a simulation may switch threads besides the verbs of the runtime: before each access to shared
 * state in {@code internal} code, and on entering and leaving user code.
 *
 * <p>In production the switch is off and the calls fold away. Our own tests turn it on with
 * {@code -Dhedgescope.seam=true}.
 */
public final class Seam {

    /** Whether the points are armed; a constant for the compiler. */
    public static final boolean ON = Boolean.getBoolean("hedgescope.seam");

    private static volatile Runnable point = () -> {};

    private Seam() {}

    /** A point at which a simulated thread may lose its turn. */
    public static void at() {
        if (ON) {
            point.run();
        }
    }

    /** Sets what happens at each point; it has to do nothing on threads that it does not know. */
    public static void onPoint(Runnable action) {
        point = action;
    }
}
