package dev.hedgescope.laws;

import dev.hedgescope.Limiter;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A limiter that holds its users to L3: each permit is settled exactly once, by a thread that has left the task that
 * ran under it. A caller may also give back a permit that it took itself, if nothing was started under it.
 */
public final class CheckedLimiter implements Limiter {

    private final Limiter inner;
    private final Ledger ledger;
    private final AtomicInteger granted = new AtomicInteger();
    private final Set<CheckedPermit> held = ConcurrentHashMap.newKeySet();

    CheckedLimiter(Limiter inner, Ledger ledger) {
        this.inner = inner;
        this.ledger = ledger;
    }

    /** {@return how many permits were ever granted} */
    public int granted() {
        return granted.get();
    }

    @Override
    public @Nullable Permit tryAcquire() {
        return checked(inner.tryAcquire());
    }

    @Override
    public @Nullable Permit tryAcquireHedge() {
        return checked(inner.tryAcquireHedge());
    }

    @Override
    public @Nullable Permit acquire(Duration wait) throws InterruptedException {
        return checked(inner.acquire(wait));
    }

    @Override
    public int limit() {
        return inner.limit();
    }

    @Override
    public int inUse() {
        return inner.inUse();
    }

    private @Nullable Permit checked(@Nullable Permit permit) {
        if (permit == null) {
            return null;
        }
        CheckedPermit checked = new CheckedPermit(permit, granted.incrementAndGet());
        held.add(checked);
        return checked;
    }

    /** Reports every permit that was never settled. */
    void checkSettled() {
        held.forEach(permit -> ledger.violation("L3: " + permit + " was never settled"));
        if (held.isEmpty() && inner.inUse() != 0) {
            ledger.violation("L3: all permits are settled, and " + inner.inUse() + " are in use");
        }
    }

    private final class CheckedPermit implements Permit {

        private final Permit inner;
        private final int number;
        private final Thread acquirer = Thread.currentThread();
        private final AtomicReference<@Nullable String> settled = new AtomicReference<>();

        CheckedPermit(Permit inner, int number) {
            this.inner = inner;
            this.number = number;
        }

        @Override
        public void success() {
            settle("success");
            inner.success();
        }

        @Override
        public void ignore() {
            settle("ignore");
            inner.ignore();
        }

        @Override
        public void drop() {
            settle("drop");
            inner.drop();
        }

        private void settle(String verb) {
            Thread me = Thread.currentThread();
            String words = verb + " by " + me.getName();
            if (!settled.compareAndSet(null, words)) {
                ledger.violation("L3: %s was settled twice: %s, then %s".formatted(this, settled.get(), words));
            }
            if (me != acquirer) {
                if (ledger.isInTask(me)) {
                    ledger.violation("L3: " + this + " was settled inside its task: " + words);
                }
                ledger.settledBy(me);
                ledger.userCode("settlement");
            }
            held.remove(this);
        }

        @Override
        public String toString() {
            return "permit " + number + " taken by " + acquirer.getName();
        }
    }
}
