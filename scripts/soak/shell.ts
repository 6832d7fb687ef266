// @effect-diagnostics globalConsole:off - `node scripts/run.mjs scripts/soak/shell.ts [TEXTS] [SEED]`
import * as Effect from "effect/Effect"
import { Processes } from "../../src/process/Processes.ts"
import { shellFuzz } from "../../test/support/shellFuzz.ts"

const [texts = "10000", seed = "1"] = process.argv.slice(2)

void Effect.runPromise(Effect.provide(shellFuzz(Number(texts), Number(seed)), Processes.layer)).then((report) => {
  console.log(report)
  process.exitCode = report.violations.length === 0 ? 0 : 1
})
