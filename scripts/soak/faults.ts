// @effect-diagnostics asyncFunction:off globalConsole:off - `node scripts/run.mjs scripts/soak/faults.ts [FAULT]`
import { faultRounds, faults, moments } from "../../test/support/faultRounds.ts"

const [wanted = ""] = process.argv.slice(2)
const names = Object.keys(faults).filter((name) => name.includes(wanted))

void faultRounds(names, moments, console.log).then((violations) => {
  console.log(`${names.length * moments.length} rounds, ${violations.length} violations`)
  process.exitCode = violations.length === 0 ? 0 : 1
})
