package dev.hedgescope;

/** How an attempt ended. */
public enum Outcome {
    /** The caller got its value. */
    WON,
    /** It returned a value after its call was decided; the value was discarded. */
    LATE,
    /** It failed, or its value was refused, while its call was open, or its failure decided the call. */
    FAILED,
    /** It left its task by an exception after its call was decided. */
    CANCELLED,
    /** Its call was decided before it entered the task. */
    NEVER_STARTED
}
