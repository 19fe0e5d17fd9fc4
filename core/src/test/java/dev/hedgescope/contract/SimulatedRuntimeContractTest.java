package dev.hedgescope.contract;

import dev.hedgescope.testing.Simulation;

class SimulatedRuntimeContractTest extends HedgeRuntimeContract {

    @Override
    void with(Body body) {
        Simulation.options().runAll(1, 50, sim -> body.run(sim.runtime()));
    }
}
