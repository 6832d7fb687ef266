import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import { load } from "./load.ts"
import * as options from "./options.ts"

/** `tollgate cost` */
export const cost = Command.make(
  "cost",
  {
    by: Options.choice("by", ["day", "model", "tool", "session", "project"]).pipe(
      Options.withDescription("what to sum up by; default: day"),
      Options.withDefault("day" as const)
    ),
    since: Options.text("since").pipe(
      Options.withDescription("only since this day (2026-11-22) or time span (12h, 7d, 4w)"),
      Options.optional
    ),
    json: options.json,
    jsonl: options.jsonl
  },
  (given) =>
    load(
      () => import("../CostCommand.ts"),
      (module) => module.cost(given)
    )
).pipe(Command.withDescription("Sum up what model requests have cost, and how far the budgets are used"))
