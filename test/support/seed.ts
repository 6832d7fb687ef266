// @effect-diagnostics processEnv:off - other cases are drawn on demand
import * as FastCheck from "effect/FastCheck"

// Every run draws the same cases, so that what fails is the change and no other; FAST_CHECK_SEED=$RANDOM draws new ones.
FastCheck.configureGlobal({ seed: Number(process.env["FAST_CHECK_SEED"] ?? 20_191) })
