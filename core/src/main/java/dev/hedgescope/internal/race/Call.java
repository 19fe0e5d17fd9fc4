package dev.hedgescope.internal.race;

import dev.hedgescope.HedgeListener.CallOutcome;
import dev.hedgescope.HedgePolicy;
import dev.hedgescope.internal.time.Seam;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The part of a call that several threads touch: who decides it, and what its attempts have published.
 *
 * <pre>
 *          claim: compare-and-set, once           publish
 *   OPEN ─────────────────────────────► CLAIMED ──────────► PUBLISHED
 *     by the attempt whose value is accepted or whose failure is fatal   (permit settled, counters final, then published)
 *     by the caller: deadline, interrupt, nothing runs and nothing can start, scope closed
 *     by the thread that closes the hedger
 * </pre>
 *
 * <p>Whoever wins the compare-and-set counts the call, publishes it and unparks the caller; nobody else does. Who loses
 * it knows what to do with what it has: an attempt discards its value, a caller takes the result. Between CLAIMED and
 * PUBLISHED the caller waits without limit.
 *
 * <table>
 * <caption>Fields with more than one writer</caption>
 * <tr><th>field</th><th>guard</th></tr>
 * <tr><td>{@code decider}</td><td>compare-and-set, once: the claim</td></tr>
 * <tr><td>{@code published}</td><td>written by who claimed, in release mode: an unpark follows, and who writes reads nothing
 * after it that depends on others having seen it</td></tr>
 * <tr><td>{@code ended}</td><td>atomic; an attempt adds one after its own result is readable</td></tr>
 * <tr><td>{@code attempts}</td><td>written by the caller alone, volatile</td></tr>
 * <tr><td>{@code extras}</td><td>compare-and-set, once</td></tr>
 * </table>
 */
abstract class Call extends Registry.Group {

    static final int OPEN = 0;
    static final int CLAIMED = 1;
    static final int PUBLISHED = 2;

    /** Deciders other than an attempt. */
    enum Ending {
        EXHAUSTED(CallOutcome.FAILED),
        TIMED_OUT(CallOutcome.TIMED_OUT),
        INTERRUPTED(CallOutcome.ABANDONED),
        SCOPE_CLOSED(CallOutcome.ABANDONED),
        HEDGER_CLOSED(CallOutcome.ABANDONED),
        REFUSED(CallOutcome.REFUSED),
        NO_REPLICA(CallOutcome.REFUSED);

        final CallOutcome outcome;

        Ending(CallOutcome outcome) {
            this.outcome = outcome;
        }
    }

    private static final VarHandle DECIDER;
    private static final VarHandle RESULT_IS_OUT;
    private static final VarHandle ENDED;
    private static final VarHandle EXTRAS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            DECIDER = lookup.findVarHandle(Call.class, "decider", Object.class);
            RESULT_IS_OUT = lookup.findVarHandle(Call.class, "published", boolean.class);
            ENDED = lookup.findVarHandle(Call.class, "ended", int.class);
            EXTRAS = lookup.findVarHandle(Call.class, "extras", Extras.class);
        } catch (ReflectiveOperationException impossible) {
            throw new ExceptionInInitializerError(impossible);
        }
    }

    final Core core;
    final HedgePolicy policy;
    final Thread caller;

    private volatile @Nullable Object decider;
    private volatile boolean published;
    private volatile int ended;
    private volatile @Nullable AttemptRun attempts;
    private volatile @Nullable Extras extras;

    Call(Core core, HedgePolicy policy) {
        super(core.registry.stripe());
        this.core = core;
        this.policy = policy;
        this.caller = Thread.currentThread();
    }

    // Deciding

    final int state() {
        Seam.at();
        if (published) {
            return PUBLISHED;
        }
        return decider == null ? OPEN : CLAIMED;
    }

    final boolean isDecided() {
        Seam.at();
        return decider != null;
    }

    /**
     * {@return whether the calling thread has decided the call, by this} It now has to count and to {@link #publish}.
     */
    final boolean claim(Object by) {
        Seam.at();
        return DECIDER.compareAndSet(this, null, by);
    }

    final void publish() {
        Seam.at();
        RESULT_IS_OUT.setRelease(this, true);
    }

    /** {@return the attempt or the {@link Ending} that decided} Read it once decided. */
    final Object decider() {
        return Objects.requireNonNull(decider);
    }

    /** {@return whether this attempt decided} */
    final boolean isDecider(AttemptRun attempt) {
        return decider == attempt;
    }

    /** {@return whether the deadline decided} */
    final boolean isTimedOut() {
        return decider == Ending.TIMED_OUT;
    }

    /** Decides for the one who is not an attempt. {@return whether it was the one} */
    final boolean decide(Ending ending) {
        if (!claim(ending)) {
            return false;
        }
        count(ending.outcome);
        publish();
        return true;
    }

    final void count(CallOutcome outcome) {
        Tally tally = core.tally;
        switch (outcome) {
            case WON -> {} // the sum of the wins by number
            case FAILED -> tally.failed.increment();
            case TIMED_OUT -> tally.timedOut.increment();
            case ABANDONED -> tally.abandoned.increment();
            case REFUSED -> tally.refused.increment();
        }
    }

    /** Ends the call since its hedger is closed, and cancels what still runs; done by the thread that closes. */
    final void abandon() {
        if (decide(Ending.HEDGER_CLOSED)) {
            core.runtime.unpark(caller);
        }
        cancelLosers();
    }

    /** Cancels every attempt but the one that decided. May be done by several threads, and again. */
    final void cancelLosers() {
        Object winner = decider;
        Seam.at();
        for (AttemptRun attempt = attempts; attempt != null; attempt = attempt.older()) {
            if (attempt != winner) {
                attempt.cancel();
            }
        }
    }

    // Attempts

    /** {@return how many attempts have been made} */
    final int attemptCount() {
        AttemptRun newest = newest();
        return newest == null ? 0 : newest.number() + 1;
    }

    final @Nullable AttemptRun newest() {
        Seam.at();
        return attempts;
    }

    final void newest(@Nullable AttemptRun attempt) {
        Seam.at();
        attempts = attempt;
    }

    /**
     * {@return how many attempts have published} While the call is open each of them failed, or its value was refused.
     */
    final int ended() {
        Seam.at();
        return ended;
    }

    /** Says that one more attempt has published. */
    final void attemptEnded() {
        Seam.at();
        ENDED.getAndAdd(this, 1);
    }

    /** {@return how many attempts have been made and have not published} */
    final int running() {
        return attemptCount() - ended();
    }

    // What is rarely needed

    final @Nullable Extras extras() {
        Seam.at();
        return extras;
    }

    final Extras needExtras() {
        Seam.at();
        Extras present = extras;
        if (present != null) {
            return present;
        }
        Extras made = new Extras();
        return EXTRAS.compareAndSet(this, null, made) ? made : Objects.requireNonNull(extras);
    }

    abstract Duration remaining();

    abstract Instant deadline();

    /** {@return whether attempts of this call must not hedge further down} */
    abstract boolean isInsideHedge();

    final boolean awaitsLosers() {
        return policy.losers() == HedgePolicy.Losers.AWAIT;
    }

    @Override
    final void onQuiet() {
        if (awaitsLosers()) {
            core.runtime.unpark(caller);
        }
    }

    /** {@return whether the member is a thread of this call, or of a call made inside one of its attempts} */
    final boolean isAround(Registry.@Nullable Member member) {
        for (Registry.Member at = member; at != null; at = at.outer()) {
            if (at.group() == this) {
                return true;
            }
        }
        return false;
    }
}
