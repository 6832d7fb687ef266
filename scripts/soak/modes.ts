// @effect-diagnostics asyncFunction:off globalConsole:off runEffectInsideEffect:off - `node scripts/run.mjs scripts/soak/modes.ts`
import { Effect } from "effect"
import { ApprovalPolicy } from "../../src/approval/ApprovalPolicy.ts"
import { reachFor } from "../../test/support/everyPlace.ts"

/** Every protected place in every mode by every way of every tool. */
const soak = async (): Promise<number> => {
  let faults = 0
  for (const mode of ApprovalPolicy.literals) {
    const { calls, wrong } = await Effect.runPromise(Effect.scoped(reachFor(mode, true)))
    faults += wrong.length
    console.log({ mode, calls, wrong })
  }
  return faults
}

void soak().then((faults) => {
  process.exitCode = faults === 0 ? 0 : 1
})
