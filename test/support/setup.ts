// @effect-diagnostics processEnv:off newPromise:off - other cases are drawn on demand
import * as FastCheck from "effect/FastCheck"
import { setImmediate } from "node:timers"
import { beforeEach } from "vitest"

/** The runner gives up on a worker that does not hear it for a minute, which tests that wait for nothing would not. */
const macrotask = () => new Promise<void>((resolve) => void setImmediate(resolve))
beforeEach(macrotask)

FastCheck.configureGlobal({
  // Every run draws the same cases, so that what fails is the change and no other; FAST_CHECK_SEED=$RANDOM draws new ones.
  seed: Number(process.env["FAST_CHECK_SEED"] ?? 20_191),
  // Before each case of a property; one that is synchronous does not wait for it.
  beforeEach: macrotask
})
