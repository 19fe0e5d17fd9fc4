package dev.hedgescope.internal.race;

import dev.hedgescope.Attempt.ReplicaTask;
import dev.hedgescope.Replica;
import dev.hedgescope.internal.time.Seam;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * In which order the calls of a set of replicas use them: primaries in rotation, a hedge on the unused replica that
 * shares the least of its failure domain with those that the call has used, never two attempts of a call on one
 * replica.
 *
 * @param <R> the type of the replicas' resource
 */
public final class ReplicaOrder<R> {

    private final List<Replica<R>> replicas;
    private final List<List<String>> domains;
    private final AtomicIntegerArray inFlight;
    private final AtomicLong cursor;
    private volatile Predicate<? super Replica<R>> available = replica -> true;

    /** Makes an order over at least one replica; the rotation begins where {@code random} says. */
    public ReplicaOrder(List<Replica<R>> replicas, long random) {
        this.replicas = List.copyOf(replicas);
        this.domains = replicas.stream()
                .map(replica -> List.of(replica.failureDomain().split("/")))
                .toList();
        this.inFlight = new AtomicIntegerArray(replicas.size());
        this.cursor = new AtomicLong(random >>> 1);
    }

    public List<Replica<R>> replicas() {
        return replicas;
    }

    public void available(Predicate<? super Replica<R>> predicate) {
        available = predicate;
    }

    /** {@return how many attempts run on the replica at that index} */
    public int inFlight(int index) {
        Seam.at();
        return inFlight.get(index);
    }

    /** {@return the way of one call through the replicas} */
    public Source route(Core core, ReplicaTask<? super R, ?, ?> task) {
        return new Route(core, task);
    }

    private final class Route implements Source {

        private final Core core;
        private final ReplicaTask<? super R, ?, ?> task;
        private final int start;
        private final List<Integer> used = new ArrayList<>(2);

        Route(Core core, ReplicaTask<? super R, ?, ?> task) {
            this.core = core;
            this.task = task;
            Seam.at();
            this.start = (int) Math.floorMod(cursor.getAndIncrement(), (long) replicas.size());
        }

        @Override
        public @Nullable Work next() {
            int best = -1;
            int leastShared = Integer.MAX_VALUE;
            for (int i = 0; i < replicas.size(); i++) {
                int index = (start + i) % replicas.size();
                if (used.contains(index) || !isAvailable(replicas.get(index))) {
                    continue;
                }
                int shared = sharedWithUsed(index);
                if (shared < leastShared) {
                    best = index;
                    leastShared = shared;
                }
            }
            if (best < 0) {
                return null;
            }
            used.add(best);
            R resource = replicas.get(best).resource();
            return new Work(attempt -> task.run(attempt, resource), new Place(best));
        }

        private boolean isAvailable(Replica<R> replica) {
            Seam.at();
            try {
                return available.test(replica);
            } catch (Throwable thrown) {
                core.collaborators.failed(Collaborators.Kind.REPLICAS, thrown);
                return true;
            }
        }

        /**
         * {@return how many leading elements of its failure domain it shares with any replica that the call has used}
         */
        private int sharedWithUsed(int index) {
            int most = 0;
            for (int other : used) {
                most = Math.max(most, shared(domains.get(index), domains.get(other)));
            }
            return most;
        }

        @Override
        public void giveBack() {
            used.removeLast();
        }

        @Override
        public int most(int maxAttempts) {
            return maxAttempts;
        }
    }

    private static int shared(List<String> one, List<String> other) {
        int shared = 0;
        while (shared < Math.min(one.size(), other.size())
                && one.get(shared).equals(other.get(shared))
                && !one.get(shared).isEmpty()) {
            shared++;
        }
        return shared;
    }

    private final class Place implements Source.Placement {

        private final int index;

        Place(int index) {
            this.index = index;
        }

        @Override
        public String name() {
            return replicas.get(index).name();
        }

        @Override
        public void started() {
            Seam.at();
            inFlight.getAndIncrement(index);
        }

        @Override
        public void ended() {
            Seam.at();
            inFlight.getAndDecrement(index);
        }
    }
}
