package dev.hedgescope;

import static java.util.Objects.requireNonNull;

/**
 * One of several interchangeable resources.
 *
 * @param name its name, for messages and metrics
 * @param failureDomain what it fails together with, as a path from the widest to the narrowest:
 *     {@code eu-1/zone-a/rack-3}; may be empty
 * @param resource what the task works with
 * @param <R> the resource's type
 */
public record Replica<R>(String name, String failureDomain, R resource) {

    /**
     * Makes a replica.
     *
     * @throws NullPointerException if one of the three is null
     * @throws IllegalArgumentException if the name is blank
     */
    public Replica {
        requireNonNull(name, "name");
        requireNonNull(failureDomain, "failureDomain");
        requireNonNull(resource, "resource");
        if (name.isBlank()) {
            throw new IllegalArgumentException("name of a replica must not be blank");
        }
    }
}
