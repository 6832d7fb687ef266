import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Configuration } from "../../../config/Configuration.ts"
import { limitsOf } from "../../../cost/Budgets.ts"
import { dayOf } from "../../../cost/calendar.ts"
import { Ledger } from "../../../cost/Ledger.ts"
import { total } from "../../../cost/totals.ts"
import { locate } from "../../../host/locate.ts"
import { Screen } from "../../terminal/Screen.ts"
import { plain } from "../../terminal/Style.ts"
import { budgetRows, chart, money } from "../../costRows.ts"
import { command } from "./Command.ts"

/** Columns that a note takes beside its text. */
const margin = 3

export const cost = command({
  name: "cost",
  group: "session",
  summary: "show what this session has cost, by model, and the budgets",
  details: "tollgate cost sums up all sessions, by day, model, tool, session or project.",
  duringTask: true,
  run: (_, prompt) =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const { width } = yield* Screen
      const { settings } = yield* Configuration
      const session = prompt.current()?.session
      const today = dayOf(yield* Clock.currentTimeMillis)
      const { project } = yield* locate(prompt.directory)
      const models = session === undefined ? [] : yield* ledger.totals("model", { session })
      const days = yield* ledger.totals("day", {})
      const sums = {
        session: total(models),
        day: total(days.filter(({ key }) => key === today)),
        month: total(days.filter(({ key }) => key.startsWith(today.slice(0, 7)))),
        project: total(yield* ledger.totals("project", { project })),
        task: undefined
      }
      const head = `this session ${money(sums.session)} · today ${money(sums.day)} · this month ${money(sums.month)}`
      const rows = models.length === 0 ? [] : chart(models, width() - margin, plain)
      const budgets = budgetRows(limitsOf(settings.budgets ?? {}), (scope) => sums[scope]?.amount)
      yield* prompt.say([head, ...rows, ...budgets].join("\n"))
    })
})
