package dev.hedgescope.stress;

import java.util.concurrent.atomic.AtomicBoolean;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** One of two compare-and-sets wins: proves that the build runs jcstress. */
@JCStressTest
@Outcome(
        id = {"true, false", "false, true"},
        expect = Expect.ACCEPTABLE,
        desc = "one of the two won")
@Outcome(expect = Expect.FORBIDDEN, desc = "both won, or nobody")
@State
public class OneWinnerStress {

    private final AtomicBoolean decided = new AtomicBoolean();

    @Actor
    public void first(ZZ_Result r) {
        r.r1 = decided.compareAndSet(false, true);
    }

    @Actor
    public void second(ZZ_Result r) {
        r.r2 = decided.compareAndSet(false, true);
    }
}
