package dev.hedgescope.contract;

import dev.hedgescope.HedgeRuntime;

class SystemRuntimeContractTest extends HedgeRuntimeContract {

    @Override
    void with(Body body) throws Exception {
        body.run(HedgeRuntime.system());
    }
}
