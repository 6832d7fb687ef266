// @effect-diagnostics asyncFunction:off globalConsole:off - `node scripts/run.mjs scripts/soak/kill.ts [ROUNDS]`
import { killRounds } from "../../test/support/killRounds.ts"

void killRounds(Number(process.argv[2] ?? 50)).then((report) => {
  console.log(report)
  process.exitCode = report.violations.length === 0 ? 0 : 1
})
