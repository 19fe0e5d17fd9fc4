package dev.hedgescope;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.hedgescope.laws.Laws;
import dev.hedgescope.laws.LawsExtension;
import dev.hedgescope.testing.Simulation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which replica an attempt goes to. */
@ExtendWith(LawsExtension.class)
class ReplicasTest {

    private static final HedgePolicy THREE = HedgePolicy.builder()
            .delay(HedgeDelay.fixed(ofMillis(5)))
            .maxAttempts(3)
            .build();

    @Test
    void primaries_take_turns() {
        Laws.run(Simulation.options().orderly(), 1, (sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("replicas").build());
            Replicas<String> replicas = Replicas.of(
                    List.of(new Replica<>("a", "", "A"), new Replica<>("b", "", "B"), new Replica<>("c", "", "C")),
                    sim.runtime());
            Map<String, Integer> firsts = new HashMap<>();

            for (int i = 0; i < 300; i++) {
                String first = hedger.call(replicas, (attempt, resource) -> resource);
                firsts.merge(first, 1, Integer::sum);
            }

            assertThat(firsts).isEqualTo(Map.of("A", 100, "B", 100, "C", 100));
        });
    }

    @Test
    void a_hedge_goes_to_the_farthest_failure_domain_and_never_twice_to_one_replica() {
        Laws.runAll(Simulation.options(), 1, 50, (sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("replicas").policy(THREE).build());
            Replicas<String> replicas = Replicas.of(
                    List.of(
                            new Replica<>("a1", "eu/a/rack-1", "a1"),
                            new Replica<>("a2", "eu/a/rack-2", "a2"),
                            new Replica<>("b1", "eu/b/rack-1", "b1"),
                            new Replica<>("u1", "us/a/rack-1", "u1")),
                    sim.runtime());
            List<String> tried = new ArrayList<>();

            hedger.call(replicas, (attempt, resource) -> {
                tried.add(resource);
                sim.sleep(ofMillis(100));
                return resource;
            });

            assertThat(tried).hasSize(3).doesNotHaveDuplicates();
            assertThat(tried.get(1)).isEqualTo(tried.get(0).equals("u1") ? tried.get(1) : "u1");
        });
    }

    @Test
    void what_is_not_available_is_left_out_until_it_is_again() {
        Laws.run(Simulation.options().orderly(), 1, (sim, ledger) -> {
            Hedger hedger = ledger.watch(ledger.hedger("replicas").build());
            List<String> down = new ArrayList<>(List.of("a"));
            Replicas<String> replicas = Replicas.of(
                            List.of(new Replica<>("a", "", "A"), new Replica<>("b", "", "B")), sim.runtime())
                    .available(replica -> !down.contains(replica.name()));

            for (int i = 0; i < 4; i++) {
                String only = hedger.call(replicas, (attempt, resource) -> resource);
                assertThat(only).isEqualTo("B");
            }
            down.add("b");
            assertThatThrownBy(() -> hedger.call(replicas, (attempt, resource) -> resource))
                    .isInstanceOf(HedgeException.Refused.class)
                    .hasMessage("replicas: primary refused, no replica is available");
            down.clear();

            String again = hedger.call(replicas, (attempt, resource) -> resource);
            assertThat(again).isIn("A", "B");
        });
    }

    @Test
    void a_set_has_to_make_sense() {
        assertThatThrownBy(() -> Replicas.of(List.of())).hasMessage("replicas must be at least one");
        assertThatThrownBy(() -> Replicas.of(new Replica<>("a", "", 1), new Replica<>("a", "", 2)))
                .hasMessage("replicas must have different names, 'a' comes twice");
        assertThatThrownBy(() -> new Replica<>(" ", "", 1)).hasMessage("name of a replica must not be blank");
    }
}
