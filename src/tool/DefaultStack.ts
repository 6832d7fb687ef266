import { stack, type Change, type Middleware, type Stacked } from "../middleware/Middleware.ts"
import { recover, type Crashed } from "../middleware/recover.ts"
import type { RetriesExhausted, RetryPolicy } from "../middleware/retry.ts"
import { announce } from "./announce.ts"
import type { ParametersInvalid } from "./Parameters.ts"
import { retryTool } from "./retryTool.ts"
import { timeout, timeoutsOf, type Timeouts, type ToolTimedOut } from "./timeout.ts"
import type * as Tool from "./Tool.ts"
import type { ToolCall } from "./ToolCall.ts"
import { ToolDefectCaught, trusted } from "./ToolEvent.ts"
import { validate, type ValidationObserver } from "./validate.ts"

export interface DefaultStackOptions<C extends Change> {
  readonly approval?: Middleware<ToolCall, C>
  /** For tools that are read-only or idempotent and do not bring their own policy. */
  readonly retry?: RetryPolicy
  readonly timeouts?: Timeouts
  readonly onInvalid?: ValidationObserver
}

type Steps<C extends Change> = [
  Middleware<ToolCall, { fails: Crashed }>,
  Middleware<ToolCall, { fails: ParametersInvalid }>,
  Middleware<ToolCall, C>,
  Middleware<ToolCall, { fails: RetriesExhausted }>,
  Middleware<ToolCall, { fails: ToolTimedOut }>
]

const recovery = recover<ToolCall>((call, detail) =>
  call.sink.emit(new ToolDefectCaught({ callId: call.callId, tool: call.name, detail }, trusted))
)

/**
 * The stack in front of every tool, outermost first (T15): recovery, validation, approval, retry, timeout. A step that is
 * not configured for a tool is not in its chain; retry is there only for tools declared read-only or idempotent (T7).
 */
export const make = <
  // oxlint-disable-next-line typescript/no-empty-object-type -- no approval changes nothing
  C extends Change = {}
>(
  options: DefaultStackOptions<C>
): { readonly for: (tool: Tool.Any) => Middleware<ToolCall, Stacked<Steps<C>>> } => ({
  for: (tool) => {
    const policy = tool.repeatable ? (tool.retry ?? options.retry) : undefined
    const timeouts = timeoutsOf(tool, options.timeouts ?? {})
    const steps = [
      recovery,
      validate(options.onInvalid),
      ...(options.approval === undefined ? [] : [options.approval]),
      announce,
      ...(policy === undefined ? [] : [retryTool(policy)]),
      ...(timeouts.limit === undefined && timeouts.idle === undefined ? [] : [timeout(timeouts)])
    ]
    return stack(...(steps as never as Steps<C>)) as never
  }
})
