import {
  members,
  stack,
  type Any,
  type Fails,
  type Middleware,
  type Requires,
  type Stacked
} from "../middleware/Middleware.ts"
import { recover, type Crashed } from "../middleware/recover.ts"
import type { RetriesExhausted, RetryPolicy } from "../middleware/retry.ts"
import { steps, type Step } from "../middleware/Step.ts"
import { approve } from "./approve.ts"
import { guarded, type Gate } from "./Gate.ts"
import type { Refused } from "./GateError.ts"
import type { FileChanges } from "../tool/FileChanges.ts"
import { hooksOf, type Hook, type Requirements } from "../tool/Hook.ts"
import { limitResult, resultLimitOf, type ResultLimit } from "../tool/limitResult.ts"
import { selects, type Limit } from "../tool/limits.ts"
import type { LoopDetected } from "../tool/loopGuard.ts"
import type { Notifications } from "../tool/Notifications.ts"
import { notify, type NoticeRule } from "../tool/notify.ts"
import type { ProgressBoard } from "../tool/ProgressBoard.ts"
import { recordChanges } from "../tool/recordChanges.ts"
import { retryTool } from "../tool/retryTool.ts"
import { telemetry, type TelemetryOptions } from "../tool/telemetry.ts"
import { timeout, timeoutsOf, type TimeoutDefaults, type ToolTimedOut } from "../tool/timeout.ts"
import type * as Tool from "../tool/Tool.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { ToolDefectCaught, trusted } from "../tool/ToolEvent.ts"
import { trackProgress } from "../tool/trackProgress.ts"
import { validate, type ValidationObserver } from "./validate.ts"
import { runHooks, type HookError } from "./runHooks.ts"

/** The steps of the stack in front of every tool; an option that is not set adds no step. */
export interface DefaultStackOptions<R = unknown> {
  /** False leaves defects of tools to the caller. */
  readonly recovery?: boolean
  /** Absent where no tracer listens. */
  readonly telemetry?: TelemetryOptions
  /** Shows a person what happened to calls; `rule` says which. */
  readonly notifications?: { readonly show: Notifications["Type"]; readonly rule?: NoticeRule }
  /** Outside of all that can refuse a call, for a call that is refused again and again is a loop too. */
  readonly loopGuard?: Middleware<ToolCall, { fails: LoopDetected }>
  /** Run before or after the tools that they name, outside validation and approval. */
  readonly hooks?: ReadonlyArray<Hook<R>>
  /** Hears of parameters that were refused. */
  readonly onInvalid?: ValidationObserver
  /** Rate limits, concurrency limits and named groups; entered once a call is approved. */
  // oxlint-disable-next-line typescript/no-explicit-any -- limits differ in what they change
  readonly limits?: ReadonlyArray<Limit<any>>
  /** How much of a result a model reads, for tools that do not bring their own limit; what is cut can be kept. */
  readonly resultLimit?: ResultLimit
  /** For tools that are read-only or idempotent and do not bring their own policy. */
  readonly retry?: RetryPolicy
  /** The deadline and the longest silence of an attempt, for tools that do not bring their own. */
  readonly timeouts?: TimeoutDefaults
  /** Keeps what runs and how far it is. */
  readonly progress?: ProgressBoard["Type"]
  /** Keeps which files calls have changed. */
  readonly fileChanges?: FileChanges["Type"]
}

// oxlint-disable-next-line typescript/no-explicit-any -- `Change` is invariant, so only `any` stands for every change
type AnyOptions = DefaultStackOptions<any>

/** The value of an option, `never` where it is not among the options. */
type Given<O, K extends PropertyKey> = K extends keyof O ? Exclude<O[K], undefined> : never

type IfGiven<O, K extends PropertyKey, C> = [Given<O, K>] extends [never]
  ? // oxlint-disable-next-line typescript/no-empty-object-type -- a step that is not there changes nothing
    {}
  : C

type HooksChange<O> = IfGiven<
  O,
  "hooks",
  { fails: HookError; requires: Given<O, "hooks"> extends ReadonlyArray<infer H> ? Requirements<H> : never }
>
type LimitChange<L> =
  L extends ReadonlyArray<infer One>
    ? One extends { readonly middleware: Middleware<never, infer C> }
      ? C
      : never
    : never
type LimitsChange<O> = IfGiven<
  O,
  "limits",
  { fails: Fails<LimitChange<Given<O, "limits">>>; requires: Requires<LimitChange<Given<O, "limits">>> }
>

/** What the stack of some options changes: only steps that are configured, or that a tool can ask for, are in it. */
export type StackChange<O> = Stacked<
  [
    Middleware<ToolCall, { fails: Crashed }>,
    Middleware<ToolCall, IfGiven<O, "loopGuard", { fails: LoopDetected }>>,
    Middleware<ToolCall, HooksChange<O>>,
    Middleware<ToolCall, { fails: Refused }>,
    Middleware<ToolCall, LimitsChange<O>>,
    Middleware<ToolCall, { fails: RetriesExhausted }>,
    Middleware<ToolCall, { fails: ToolTimedOut }>
  ]
>

const recovery = recover<ToolCall>((call, detail) =>
  call.sink.emit(new ToolDefectCaught({ callId: call.callId, tool: call.name, detail }, trusted))
)

const stepsFor = (options: AnyOptions, tool: Tool.Any): ReadonlyArray<unknown> => {
  const hooks = hooksOf(options.hooks ?? [], tool.name)
  const limit = resultLimitOf(tool, options.resultLimit)
  const policy = tool.repeatable ? (tool.retry ?? options.retry) : undefined
  const timeouts = timeoutsOf(tool, options.timeouts ?? {})
  const timed = timeouts.limit !== undefined || timeouts.idle !== undefined
  return [
    options.recovery !== false && recovery,
    options.telemetry && telemetry(options.telemetry),
    options.notifications && notify(options.notifications.show, options.notifications.rule),
    options.loopGuard,
    hooks.pre.length + hooks.post.length > 0 && runHooks(hooks),
    validate(options.onInvalid),
    approve,
    ...(options.limits ?? []).filter(({ tools }) => selects(tools, tool)).map(({ middleware }) => middleware),
    limit !== undefined && limitResult(limit, options.resultLimit?.spill),
    policy && retryTool(policy),
    timed && timeout(timeouts),
    options.progress && trackProgress(options.progress, { ownFiber: timed }),
    options.fileChanges && recordChanges(options.fileChanges)
  ].filter((step) => step !== undefined && step !== false)
}

/**
 * The stack in front of every tool, outermost first: recovery, telemetry, notifications, loop guard, hooks, validation,
 * approval, limits, result limit, retry, timeout, progress, file changes. A step that is not configured for a tool is not in
 * its chain; retry is there only for tools declared read-only or idempotent.
 */
export const make = <const O extends AnyOptions>(
  options: O
): { readonly for: (tool: Tool.Any) => Middleware<ToolCall, StackChange<O>> } => ({
  for: (tool) =>
    stack(...(stepsFor(options, tool) as ReadonlyArray<Any>)) as unknown as Middleware<ToolCall, StackChange<O>>
})

/** The steps that a call of the tool goes through, outermost first, its own middleware, the gate and its handler last. */
export const describe = (options: AnyOptions, tool: Tool.Any, gate: Gate = guarded): ReadonlyArray<Step> => [
  ...steps(make(options).for(tool) as unknown as Any),
  ...(tool.middleware === undefined
    ? []
    : members(tool.middleware as Any)
        .flatMap(steps)
        .map(({ detail, step }) => ({ step: `own › ${step}`, detail }))),
  ...(gate._tag === "Unguarded" ? [{ step: "unguarded", detail: gate.reason }] : []),
  { step: "journal", detail: tool.readOnly ? "" : "durable before the handler" },
  { step: "handler", detail: tool.repeatable ? "repeatable" : "at most once" }
]
