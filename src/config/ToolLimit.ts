import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { delegateTool } from "../agent/Delegation.ts"
import { concurrency } from "../middleware/concurrency.ts"
import { type RateLimited, rateLimit } from "../middleware/rateLimit.ts"
import { Timespan } from "../model/Timespan.ts"
import type { Limit } from "../tool/limits.ts"
import type * as Tool from "../tool/Tool.ts"
import type { ToolCall } from "../tool/ToolCall.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const Count = Schema.Int.pipe(Schema.positive())

/** A limit in a configuration file; the tools that it is for share it. */
export const ToolLimit = Schema.Struct({
  /** Names of tools, or `*` for every tool. */
  tools: Schema.Union(Schema.Literal("*"), Schema.NonEmptyArray(Schema.NonEmptyString)),
  /** How many calls may start in any window of that length; an early one waits, or fails. */
  rate: optional(Schema.Struct({ calls: Count, per: Timespan, maxWait: optional(Timespan) })),
  /** How many calls run at the same time; others wait. */
  concurrency: optional(Count)
}).pipe(
  Schema.filter(({ concurrency, rate, tools }) => {
    if (rate === undefined && concurrency === undefined) return "set rate, concurrency or both"
    return concurrency === undefined || tools === "*" || !tools.includes(delegateTool)
      ? true
      : `calls of ${delegateTool} wait for calls of their workers: limit them with maxWorkers`
  })
)
export type ToolLimit = typeof ToolLimit.Type

// oxlint-disable-next-line typescript/no-empty-object-type -- waiting changes nothing
type ConfiguredLimit = Limit<{ fails: RateLimited }> | Limit<{}>

/** The middleware of a limit, with the state that its tools share; `delegate` waits for others and has no part in a `*`. */
export const toLimits = ({
  concurrency: permits,
  rate,
  tools
}: ToolLimit): Effect.Effect<ReadonlyArray<ConfiguredLimit>> =>
  Effect.gen(function* () {
    const spaced =
      rate === undefined ? [] : [{ tools, middleware: yield* rateLimit<ToolCall>({ permits: rate.calls, ...rate }) }]
    if (permits === undefined) return spaced
    const bounded = tools === "*" ? ({ name }: Tool.Any) => name !== delegateTool : tools
    return [...spaced, { tools: bounded, middleware: yield* concurrency(permits) }]
  })
