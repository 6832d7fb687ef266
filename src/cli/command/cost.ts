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
    since: options.since,
    ...options.listing
  },
  (given) =>
    load(
      () => import("../CostCommand.ts"),
      (module) => module.cost(given)
    )
).pipe(Command.withDescription("Sum up what model requests have cost, and how far the budgets are used"))
