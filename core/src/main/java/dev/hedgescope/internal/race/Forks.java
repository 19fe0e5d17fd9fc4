package dev.hedgescope.internal.race;

import dev.hedgescope.Attempt;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tasks that were forked in a scope: each is one attempt. */
final class Forks implements Source {

    private final List<Attempt.Task<?, ?>> tasks = new ArrayList<>();
    private int taken;

    void add(Attempt.Task<?, ?> task) {
        tasks.add(task);
    }

    int size() {
        return tasks.size();
    }

    @Override
    public @Nullable Work next() {
        return taken < tasks.size() ? new Work(tasks.get(taken++), null) : null;
    }

    @Override
    public void giveBack() {
        taken--;
    }

    @Override
    public int most(int maxAttempts) {
        return Math.min(maxAttempts, tasks.size());
    }
}
