// @effect-diagnostics asyncFunction:off globalConsole:off runEffectInsideEffect:off processEnv:off globalRandom:off - `node scripts/run.mjs scripts/soak/rewinding.ts [ROUNDS]`
import { Effect, FastCheck as fc } from "effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Doings, round } from "../../test/support/rewinding.ts"

/** Random changes by the tools and by somebody else, and back: every file is what it was, or named and left alone. */
const soak = async (): Promise<void> => {
  const rounds = Number(process.argv[2] ?? 1000)
  const seed = Number(process.env["FAST_CHECK_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
  const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-rewinding-")))
  const sum = { rounds, seed, restored: 0, left: 0 }
  try {
    for (const one of fc.sample(Doings, { numRuns: rounds, seed })) {
      const { left, restored } = await Effect.runPromise(Effect.scoped(round(directory, one)))
      sum.restored += restored
      sum.left += left
    }
    console.log(sum)
  } finally {
    fs.rmSync(directory, { recursive: true, force: true })
  }
}

void soak()
