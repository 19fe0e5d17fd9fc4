package dev.hedgescope.internal.race;

import dev.hedgescope.Attempt;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A task inside the runnable that the user's wrapper made of it on the caller's thread. The wrapper encloses the task
 * alone.
 *
 * <p>A wrapper that throws when it is asked to wrap is left out. One that never runs what it was given makes the
 * attempt fail; a second run throws; what it throws after the task is counted and changes nothing.
 */
final class WrappedTask implements Attempt.Task<@Nullable Object, Exception>, Runnable {

    private final Core core;
    private final Attempt.Task<?, ?> task;
    private @Nullable Runnable outer;
    private @Nullable Attempt attempt;
    private boolean ran;
    private @Nullable Object value;
    private @Nullable Throwable failure;

    private WrappedTask(Core core, Attempt.Task<?, ?> task) {
        this.core = core;
        this.task = task;
    }

    static Attempt.Task<?, ?> wrap(Core core, UnaryOperator<Runnable> wrapper, Attempt.Task<?, ?> task) {
        WrappedTask wrapped = new WrappedTask(core, task);
        try {
            Runnable outer = wrapper.apply(wrapped);
            if (outer == null) {
                throw new NullPointerException("the wrapper returned null");
            }
            wrapped.outer = outer;
            return wrapped;
        } catch (Throwable thrown) {
            core.collaborators.failed(Collaborators.Kind.WRAPPER, thrown);
            return task;
        }
    }

    /** {@return what was wrapped} */
    Attempt.Task<?, ?> task() {
        return task;
    }

    @Override
    public @Nullable Object run(Attempt running) throws Exception {
        attempt = running;
        try {
            if (outer != null) {
                outer.run();
            }
        } catch (Throwable thrown) {
            if (!ran) {
                throw thrown;
            }
            if (thrown != failure) {
                core.collaborators.failed(Collaborators.Kind.WRAPPER, thrown);
            }
        }
        if (!ran) {
            throw new IllegalStateException(core.name + ": the wrapper did not run the task");
        }
        if (failure != null) {
            throw sneaky(failure);
        }
        return value;
    }

    /**
     * Runs the task, for the wrapper. Its failure goes to the call, not through the wrapper, which could swallow it.
     */
    @Override
    public void run() {
        if (ran || attempt == null) {
            throw new IllegalStateException(
                    core.name + ": the wrapper ran the task " + (ran ? "a second time" : "outside its attempt"));
        }
        ran = true;
        try {
            value = task.run(attempt);
        } catch (Throwable thrown) {
            failure = thrown;
        }
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // lets any throwable pass as the one it is
    private static <X extends Throwable> X sneaky(Throwable thrown) throws X {
        throw (X) thrown;
    }
}
