package dev.hedgescope.internal.race;

import dev.hedgescope.HedgeBudget;
import dev.hedgescope.HedgeDelay;
import dev.hedgescope.HedgeListener;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.HedgeRuntime;
import dev.hedgescope.HedgeStats;
import dev.hedgescope.Limiter;
import dev.hedgescope.Straggler;
import dev.hedgescope.internal.time.Nanos;
import dev.hedgescope.internal.time.Seam;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What all calls of one hedger share: its collaborators, its counters, and every thread that it started. */
public final class Core {

    final String name;
    final HedgeRuntime runtime;
    final HedgeBudget budget;
    final @Nullable Limiter limiter;
    final @Nullable UnaryOperator<Runnable> wrapper;
    final Tally tally = new Tally();
    final Collaborators collaborators;
    final Registry registry;
    final Watch watch;
    private final String[] threadNames = new String[HedgePolicy.MOST_ATTEMPTS];
    private volatile HedgePolicy policy;

    /** Makes a core from what the builder has checked. */
    public Core(
            String name,
            HedgeRuntime runtime,
            HedgePolicy policy,
            HedgeBudget budget,
            @Nullable Limiter limiter,
            @Nullable HedgeListener listener,
            @Nullable UnaryOperator<Runnable> wrapper,
            Duration stragglerAfter) {
        this.name = name;
        this.runtime = runtime;
        this.policy = policy;
        this.budget = budget;
        this.limiter = limiter;
        this.wrapper = wrapper;
        this.collaborators = new Collaborators(name, tally, listener);
        this.registry = new Registry(runtime);
        this.watch = new Watch(this, Nanos.of(stragglerAfter));
        for (int i = 0; i < threadNames.length; i++) {
            threadNames[i] = name + "#" + i;
        }
    }

    public String name() {
        return name;
    }

    public HedgePolicy policy() {
        return policy;
    }

    public void policy(HedgePolicy next) {
        Seam.at();
        policy = next;
    }

    String threadName(int number) {
        return threadNames[number];
    }

    /** Starts a member's thread, which is not an attempt's. {@return whether it runs} */
    boolean start(Registry.Member member, String threadName) {
        Guard guard = new Guard(member);
        Throwable failure;
        try {
            if (runtime.start(threadName, guard) != null) {
                return true;
            }
            failure = noThread();
        } catch (Throwable thrown) {
            failure = thrown;
        }
        if (!guard.enter()) {
            return true;
        }
        collaborators.failed(Collaborators.Kind.THREAD, failure);
        return false;
    }

    static IllegalStateException noThread() {
        return new IllegalStateException("the runtime returned no thread");
    }

    /** Keeps a body from running whose start was said to have failed. */
    private static final class Guard extends AtomicBoolean implements Runnable {

        private static final long serialVersionUID = 1;

        private final transient Runnable body;

        Guard(Runnable body) {
            this.body = body;
        }

        boolean enter() {
            return compareAndSet(false, true);
        }

        @Override
        public void run() {
            if (enter()) {
                body.run();
            }
        }
    }

    boolean withdraw() {
        try {
            return budget.tryWithdraw();
        } catch (Throwable thrown) {
            collaborators.failed(Collaborators.Kind.BUDGET, thrown);
            return false;
        }
    }

    void refund() {
        try {
            budget.refund();
        } catch (Throwable thrown) {
            collaborators.failed(Collaborators.Kind.BUDGET, thrown);
        }
    }

    IllegalStateException closedException() {
        return new IllegalStateException(name + ": the hedger is closed");
    }

    /** {@return whether all threads that run now have left within the time} Waits uninterruptibly. */
    public boolean awaitQuiet(Duration limit) {
        refuseOwnThread("awaitQuiet");
        return registry.awaitPresent(Nanos.of(limit));
    }

    /** {@return those who were told to stop and have not left their task} */
    public List<Straggler> stragglers() {
        return watch.stragglers();
    }

    /**
     * Closes: no new calls, every open call decided as abandoned and its attempts cancelled, then waits until all
     * threads have left.
     *
     * @param limit how long to wait at most
     * @return who is still alive
     */
    public List<Straggler> close(Duration limit) {
        registry.close();
        Registry.Member me = Registry.Member.current();
        boolean own = false;
        for (Registry.Member member : registry.members()) {
            if (member.group() instanceof Call call) {
                if (call.isAround(me)) {
                    own = true;
                } else {
                    call.abandon();
                }
            }
        }
        if (own || isOwn(me)) {
            throw ownThreadException("close");
        }
        return registry.awaitEmpty(Nanos.of(limit)) ? List.of() : alive();
    }

    private List<Straggler> alive() {
        List<Straggler> alive = new ArrayList<>();
        long now = runtime.nanoTime();
        for (Registry.Member member : registry.members()) {
            alive.add(watch.describe(member, now));
        }
        return alive;
    }

    private void refuseOwnThread(String method) {
        if (isOwn(Registry.Member.current())) {
            throw ownThreadException(method);
        }
    }

    private IllegalStateException ownThreadException(String method) {
        return new IllegalStateException(
                "%s: %s was called by '%s', a thread of this hedger or of a call made inside one, which cannot wait for itself"
                        .formatted(name, method, Thread.currentThread().getName()));
    }

    /** {@return whether the member is one of ours, or runs inside a call that was made by one of ours} */
    private boolean isOwn(Registry.@Nullable Member member) {
        for (Registry.Member at = member; at != null; at = at.outer()) {
            if (at.core() == this) {
                return true;
            }
        }
        return false;
    }

    /** {@return all numbers; ends are read before starts} */
    public HedgeStats stats() {
        List<Long> wins = tally.winsByNumber();
        long won = sum(wins);
        long failed = tally.failed.sum();
        long timedOut = tally.timedOut.sum();
        long abandoned = tally.abandoned.sum();
        long refused = tally.refused.sum();
        var outcomes = tally.outcomes(won);
        long neverStarted = tally.hedgesNeverStarted.sum();
        var skips = tally.skips();
        List<Long> starts = tally.startsByNumber();
        long attempts = sum(starts);
        List<Straggler> late = stragglers();
        int running = 0;
        for (Registry.Member member : registry.members()) {
            running += member instanceof AttemptRun ? 1 : 0;
        }
        return new HedgeStats(
                name,
                tally.calls.sum(),
                won,
                failed,
                timedOut,
                abandoned,
                refused,
                attempts,
                attempts - starts.get(0),
                neverStarted,
                starts,
                wins,
                outcomes,
                skips,
                tally.hooksRun.sum(),
                tally.hooksFailed.sum(),
                tally.interrupts.sum(),
                tally.collaboratorFailures.sum(),
                tally.lateHedges.sum(),
                running,
                late.size(),
                late.stream()
                        .map(Straggler::sinceCancelled)
                        .max(Duration::compareTo)
                        .orElse(Duration.ZERO),
                limiter == null ? 0 : limiter.inUse(),
                limiter == null ? Integer.MAX_VALUE : limiter.limit(),
                budget.balance(),
                policy.delay() instanceof HedgeDelay.Fixed fixed ? Optional.of(fixed.delay()) : Optional.empty(),
                tally.cancelToExit());
    }

    private static long sum(List<Long> counts) {
        return counts.stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public String toString() {
        return "Hedger[" + name + ", " + policy + "]";
    }
}
