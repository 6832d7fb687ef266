// @effect-diagnostics asyncFunction:off globalConsole:off - `node scripts/run.mjs scripts/soak/shown.ts [SESSIONS] [SEED]`
import { FastCheck as fc } from "effect"
import { reads, session } from "../../test/support/shownRounds.ts"

const [sessions = "50", seed = "1"] = process.argv.slice(2)

const soak = async (): Promise<ReadonlyArray<string>> => {
  const faults: Array<string> = []
  for (const [index, one] of fc.sample(session, { numRuns: Number(sessions), seed: Number(seed) }).entries()) {
    await reads(one).catch((fault: unknown) => faults.push(`session ${index}: ${String(fault)}`))
  }
  return faults
}

void soak().then((faults) => {
  console.log({ sessions: Number(sessions), seed: Number(seed), faults })
  process.exitCode = faults.length === 0 ? 0 : 1
})
