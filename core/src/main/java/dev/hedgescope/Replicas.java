package dev.hedgescope;

import dev.hedgescope.internal.race.ReplicaOrder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A set of interchangeable resources: each attempt of a call goes to another one. Primaries take turns, from a random
 * start; a hedge goes to the replica whose failure domain is the farthest from those that the call has used.
 *
 * <p>Make one long-lived object per set and share it: the order and what is known of each replica live here. It may be
 * used by any thread.
 *
 * @param <R> the type of the resource
 */
public final class Replicas<R> {

    final ReplicaOrder<R> order;

    private Replicas(List<Replica<R>> replicas, HedgeRuntime runtime) {
        if (replicas.isEmpty()) {
            throw new IllegalArgumentException("replicas must be at least one");
        }
        Set<String> names = new HashSet<>();
        for (Replica<R> replica : replicas) {
            if (!names.add(replica.name())) {
                throw new IllegalArgumentException(
                        "replicas must have different names, '" + replica.name() + "' comes twice");
            }
        }
        this.order = new ReplicaOrder<>(replicas, runtime.nextRandom());
    }

    /**
     * Makes a set.
     *
     * @param replicas the replicas, at least one, with different names
     * @param <R> the type of the resource
     * @return the set
     * @throws IllegalArgumentException if there is none, or if a name comes twice
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // List.of copies the array, it does not escape
    public static <R> Replicas<R> of(Replica<R>... replicas) {
        return of(List.of(replicas));
    }

    /**
     * Makes a set.
     *
     * @param replicas the replicas, at least one, with different names
     * @param <R> the type of the resource
     * @return the set
     * @throws IllegalArgumentException if there is none, or if a name comes twice
     */
    public static <R> Replicas<R> of(List<Replica<R>> replicas) {
        return of(replicas, HedgeRuntime.system());
    }

    /**
     * Makes a set whose random choices come from the given runtime.
     *
     * @param replicas the replicas, at least one, with different names
     * @param runtime where chance comes from
     * @param <R> the type of the resource
     * @return the set
     * @throws IllegalArgumentException if there is none, or if a name comes twice
     */
    public static <R> Replicas<R> of(List<Replica<R>> replicas, HedgeRuntime runtime) {
        return new Replicas<>(replicas, runtime);
    }

    /** {@return the replicas, in the order in which they were given} */
    public List<Replica<R>> all() {
        return order.replicas();
    }

    /**
     * Takes replicas out of the order for as long as the predicate says so. It replaces an earlier one. It is asked on
     * the caller's thread, for each attempt, so it has to be quick; if it throws, the replica counts as available, and
     * the failure as a collaborator's.
     *
     * @param predicate tells whether a replica may be used now
     * @return this
     */
    public Replicas<R> available(Predicate<? super Replica<R>> predicate) {
        order.available(predicate);
        return this;
    }

    @Override
    public String toString() {
        return "Replicas" + order.replicas().stream().map(Replica::name).toList();
    }
}
