package dev.hedgescope.laws;

import dev.hedgescope.HedgeListener;
import dev.hedgescope.HedgeStats;
import dev.hedgescope.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Keeps every event in the order in which it came, and can write each as one line of a story: {@code start #0},
 * {@code won #1}, {@code failed #0 IOException}, {@code left #0}, {@code skip #1 BUDGET}, {@code call timed out}.
 */
public final class RecordingListener implements HedgeListener {

    private final Ledger ledger;
    private final Queue<Record> events = new ConcurrentLinkedQueue<>();
    private volatile BiConsumer<String, String> story = (operation, line) -> {};

    RecordingListener(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Writes a line for each event from now on, save for calls that were won. {@return this} */
    public RecordingListener tell(Consumer<String> to) {
        return tell((operation, line) -> to.accept(line));
    }

    /** The same with the operation's name. {@return this} */
    public RecordingListener tell(BiConsumer<String, String> to) {
        story = to;
        return this;
    }

    /** {@return the events of one type, in order} */
    public <E extends Record> List<E> events(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Override
    public void onAttemptStarted(AttemptStarted event) {
        note(event, event.operation(), "start " + who(event.attempt(), event.replica()));
    }

    @Override
    public void onAttemptEnded(AttemptEnded event) {
        String who = who(event.attempt(), event.replica());
        note(
                event,
                event.operation(),
                switch (event.outcome()) {
                    case WON -> "won " + who;
                    case LATE, CANCELLED -> "left " + who;
                    case NEVER_STARTED -> "never started " + who;
                    case FAILED ->
                        event.failure() == null
                                ? "refused value of " + who
                                : "failed " + who + " "
                                        + event.failure().getClass().getSimpleName();
                });
    }

    @Override
    public void onHedgeSkipped(HedgeSkipped event) {
        note(event, event.operation(), "skip #" + event.attempt() + " " + event.reason());
    }

    @Override
    public void onStraggler(StragglerSeen event) {
        String who = who(event.straggler().attempt(), event.straggler().replica());
        note(event, event.straggler().operation(), "straggler " + who + (event.left() ? " gone" : ""));
    }

    @Override
    public void onCallEnded(CallEnded event) {
        String words = event.outcome().name().toLowerCase(Locale.ROOT).replace('_', ' ');
        note(event, event.operation(), event.outcome() == CallOutcome.WON ? "" : "call " + words);
    }

    private static String who(int attempt, String replica) {
        return "#" + attempt + (replica == null ? "" : " " + replica);
    }

    private void note(Record event, String operation, String line) {
        ledger.userCode("listener");
        events.add(event);
        if (!line.isEmpty()) {
            story.accept(operation, line);
        }
    }

    /** {@return where events and statistics of a hedger at rest differ; none if it never told anything} */
    List<String> compare(HedgeStats stats) {
        List<String> broken = new ArrayList<>();
        String name = stats.operation();
        long ended = count(CallEnded.class, e -> e.operation().equals(name));
        if (ended == 0) {
            return broken;
        }
        expect(broken, name + ": calls", stats.calls(), ended);
        for (CallOutcome outcome : CallOutcome.values()) {
            long counted = switch (outcome) {
                case WON -> stats.won();
                case FAILED -> stats.failed();
                case TIMED_OUT -> stats.timedOut();
                case ABANDONED -> stats.abandoned();
                case REFUSED -> stats.refused();
            };
            long told = count(CallEnded.class, e -> e.operation().equals(name) && e.outcome() == outcome);
            expect(broken, name + ": calls " + outcome, counted, told);
        }
        for (Outcome outcome : Outcome.values()) {
            long told = count(AttemptEnded.class, e -> e.operation().equals(name) && e.outcome() == outcome);
            expect(broken, name + ": attempts " + outcome, stats.outcomes().getOrDefault(outcome, 0L), told);
        }
        long begun = count(AttemptStarted.class, e -> e.operation().equals(name));
        long neverStarted = stats.outcomes().getOrDefault(Outcome.NEVER_STARTED, 0L);
        expect(broken, name + ": attempts begun", stats.attempts() + neverStarted, begun);
        long hedges = count(
                AttemptStarted.class,
                e -> e.operation().equals(name) && e.trigger().isPresent());
        long skips = count(HedgeSkipped.class, e -> e.operation().equals(name));
        expect(broken, name + ": hedges due", stats.hedgesDue(), hedges + skips);
        return broken;
    }

    private <E extends Record> long count(Class<E> type, Predicate<E> which) {
        return events(type).stream().filter(which).count();
    }

    private static void expect(List<String> broken, String what, long counted, long told) {
        if (counted != told) {
            broken.add("L10: " + what + ": " + counted + " counted, " + told + " told to the listener");
        }
    }
}
