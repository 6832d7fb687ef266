// @effect-diagnostics globalConsole:off globalConsoleInEffect:off - `node scripts/run.mjs scripts/soak/output.ts [ROUNDS] [AT ONCE]`
import * as Effect from "effect/Effect"
import { outputRounds } from "../../test/support/outputRounds.ts"

const [rounds = "1000", atOnce = "40"] = process.argv.slice(2)

void Effect.runPromise(outputRounds(Number(rounds), Number(atOnce))).then((report) => {
  console.log(report)
  process.exitCode = report.faults.length === 0 ? 0 : 1
})
