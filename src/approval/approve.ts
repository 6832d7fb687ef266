import * as Effect from "effect/Effect"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import { ParametersInvalid } from "../tool/Parameters.ts"
import type { Preview } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { validated } from "../tool/validate.ts"
import { type ApprovalRefused, ApprovalStale } from "./ApprovalError.ts"
import { Approvals, type Wanted } from "./Approvals.ts"

/** How often a call is asked for whose targets change after each answer. */
const maxRounds = 3

/** Whether the tool wants a decision; one that looks at the world may refuse the call by failing. */
const asksFor = (call: ToolCall): Wanted | Effect.Effect<Wanted> => {
  const need = call.tool.approval
  return typeof need === "function"
    ? (need(call.params as never) as Wanted | Effect.Effect<Wanted>)
    : need === "always" && need
}

/** What the call would do, by the tool's own word; a preview that fails is the call's failure. */
const previewOf = (call: ToolCall): Effect.Effect<Preview | undefined> => {
  const make: ((params: never) => unknown) | undefined = call.tool.preview
  return make === undefined
    ? Effect.succeed(undefined)
    : Effect.suspend(() => make(call.params as never) as Effect.Effect<Preview>)
}

/** A name such as `__proto__` in JSON changes what an object inherits, where nobody would see it. */
const isPlain = (value: unknown): boolean => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * Runs a call only once it has been approved, once for all its attempts (T6). What was shown travels on the call; if it has
 * changed by the time the call would run, it is asked for again (A5).
 */
export const approve: Middleware<ToolCall, { fails: ApprovalRefused | ParametersInvalid; requires: Approvals }> = named<
  ToolCall,
  { fails: ApprovalRefused | ParametersInvalid; requires: Approvals }
>("approval", "", <Self extends ToolCall, A, E, R>(call: Self, next: (call: Self) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(validated(call), (ready): Effect.Effect<A, E | ApprovalRefused | ParametersInvalid, R | Approvals> => {
    if (!isPlain(ready.rawParams)) {
      const issues = [{ path: "__proto__", message: "is not a parameter" }]
      return Effect.fail(new ParametersInvalid({ tool: ready.name, issues }))
    }
    const cleared = (asks: Wanted, round: number): Effect.Effect<A, E | ApprovalRefused, R | Approvals> =>
      Effect.flatMap(Approvals, (approvals) =>
        Effect.flatMap(approvals.request(ready, asks, previewOf(ready)), ({ preview, ruled, stillHolds, withheld }) =>
          Effect.flatMap(stillHolds, (holds): Effect.Effect<A, E | ApprovalRefused, R | Approvals> => {
            if (holds) {
              const shown = preview === undefined ? {} : { preview }
              const told = { ...ready, ...(withheld && { withheld }), ...(ruled && { ruled }) }
              return next(asks !== false || preview !== undefined ? { ...told, decided: true, ...shown } : told)
            }
            return round < maxRounds
              ? cleared(asks, round + 1)
              : new ApprovalStale({ tool: ready.name, callId: ready.callId, rounds: maxRounds })
          })
        )
      )
    const asks = asksFor(ready)
    return Effect.isEffect(asks) ? Effect.flatMap(asks, (wanted) => cleared(wanted, 1)) : cleared(asks, 1)
  })
)
