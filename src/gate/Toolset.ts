import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Foresee } from "../approval/Ahead.ts"
import type { Approvals } from "../approval/Approvals.ts"
import { Audit } from "../audit/Audit.ts"
import {
  apply,
  identity,
  stack,
  type Change,
  type Fails,
  type Handles,
  type Middleware,
  type Provides,
  type Requires
} from "../middleware/Middleware.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import { legible } from "../text/legible.ts"
import { isReserved, reachesForReserved } from "../tool/reserved.ts"
import type * as Tool from "../tool/Tool.ts"
import { silent, type ToolCall, undecoded } from "../tool/ToolCall.ts"
import type { ToolResult } from "../tool/ToolResult.ts"
import { foreseen } from "./approve.ts"
import { parametersIn } from "./asked.ts"
import type { CallRequest, CallSink } from "./CallRequest.ts"
import { concluded } from "./conclude.ts"
import { guarded, type Gate, type Guarded, type Unguarded } from "./Gate.ts"
import { ArgumentsMalformed, type GateError, ReservedToolName, ToolNotFound, ToolsetInvalid } from "./GateError.ts"
import { forStack } from "./GateSink.ts"
import { handled, leaf } from "./handler.ts"
import { Passage } from "./Passage.ts"
import { unfit } from "./unfit.ts"

export * from "./GateError.ts"

/**
 * A sealed set of tools, each behind its stack and the gate. Any stack keeps these promises: parameters are validated,
 * a call that needs a decision has one, `ToolCallStarted` is durable before a handler that changes something runs, that
 * handler runs at most once, and every call ends with one event.
 */
export interface Toolset<out E, out R> {
  readonly tools: ReadonlyMap<string, Tool.Any>
  readonly gate: Gate
  /** Runs a call through the tool's chain. */
  readonly call: (request: CallRequest) => Effect.Effect<ToolResult, E, R>
  /** What a person would be asked about a call by now; nothing runs and nothing is told. Nothing for what cannot be said. */
  readonly foresee: (request: CallRequest, foresee: Foresee) => Effect.Effect<ApprovalRequest | undefined, never, R>
}

type OwnError<T> = T extends Tool.Any
  ? Exclude<Tool.Failure<T>, Handles<Tool.ChangeOf<T>>> | Fails<Tool.ChangeOf<T>>
  : never
type OwnRequirements<T> = T extends Tool.Any
  ? Exclude<Tool.Requirements<T>, Provides<Tool.ChangeOf<T>>> | Requires<Tool.ChangeOf<T>>
  : never

/** `Approvals` as soon as one of the tools may want a decision and the gate is not left out by name. */
type Deciders<T, G> = G extends Unguarded ? never : true extends Tool.AskingOf<T> ? Approvals : never

/** What the calls of a toolset can fail with. */
export type SealedError<Tools extends ReadonlyArray<Tool.Any>, C extends Change> =
  | Exclude<OwnError<Tools[number]> | GateError, Handles<C>>
  | Fails<C>
  | ToolNotFound
  | ReservedToolName
  | ArgumentsMalformed

/** What the calls of a toolset need. */
export type SealedRequirements<Tools extends ReadonlyArray<Tool.Any>, C extends Change, G extends Gate = Guarded> =
  Exclude<OwnRequirements<Tools[number]>, Provides<C>> | Requires<C> | Deciders<Tools[number], G>

/** What may be said of a toolset besides its tools. */
export interface Options<C extends Change, G extends Gate> {
  /**
   * The stack around every tool, outside the tool's own middleware. A function gives each tool a stack of its own, so
   * that a step that is not configured is not in the chain; `DefaultStack.make` makes one.
   */
  readonly middleware?: Middleware<ToolCall, C> | { readonly for: (tool: Tool.Any) => Middleware<ToolCall, C> }
  /** `Gate.guarded` if unset; `Gate.unguarded(reason)` runs calls without a decision. */
  readonly gate?: G
}

/** The names that every provider accepts. */
const toolName = /^[A-Za-z0-9_-]{1,64}$/

const refusal = (tool: Tool.Any, taken: ReadonlyMap<string, Tool.Any>): string | undefined =>
  isReserved(tool.name)
    ? "its name is reserved for the runtime"
    : !toolName.test(tool.name)
      ? "its name must be 1 to 64 letters, digits, _ or -"
      : taken.has(tool.name)
        ? "another tool has that name"
        : tool.retry !== undefined && !tool.repeatable
          ? "it has a retry policy but is neither readOnly nor idempotent: repeating it may do harm"
          : tool.approval !== "never" && tool.approval !== "always" && typeof tool.approval !== "function"
            ? 'its approval must be "never", "always" or a function'
            : unfit(tool)

const paramsOf = (request: CallRequest): Either.Either<unknown, ArgumentsMalformed> => {
  if (!("arguments" in request)) return Either.right(request.rawParams)
  const { arguments: text, name } = request
  return Either.mapLeft(parametersIn(text), (why) => {
    const deep = why === "too deep" ? { deep: true as const } : {}
    return new ArgumentsMalformed({ tool: name, reason: legible(text.slice(0, 1000), 200), ...deep })
  })
}

/** Keeps in the audit that somebody reached for a name of the runtime's own, where there is an audit. */
const recorded = (request: CallRequest): Effect.Effect<void> =>
  Effect.contextWithEffect((context: Context.Context<never>) => {
    const audit = Context.getOption(context, Audit)
    if (audit._tag === "None") return Effect.void
    return audit.value.record({
      kind: "reserved_name_attempt",
      session: request.sessionId,
      worker: request.workerPath,
      tool: request.name,
      call: request.callId,
      arguments: "arguments" in request ? request.arguments : request.rawParams,
      decision: "deny",
      decided_by: "runtime"
    })
  })

interface Sealed {
  readonly tool: Tool.Any
  readonly chain: (call: ToolCall) => Effect.Effect<ToolResult, GateError>
}

/** Middleware without types may give anything, which is no end of a call. */
const givingResults =
  (name: string, chain: Sealed["chain"]): Sealed["chain"] =>
  (call) =>
    Effect.filterOrDieMessage(
      chain(call),
      (given: unknown): given is ToolResult => typeof given === "object" && given !== null && isResult(given),
      `A middleware of the tool ${name} gave no tool result; give that of next, or ToolResult.of(value)`
    )

const isResult = (given: object): boolean => "text" in given && typeof given.text === "string" && "value" in given

const callOf = (request: CallRequest, tool: Tool.Any, rawParams: unknown): ToolCall => ({
  kind: "tool",
  name: tool.name,
  tool,
  callId: request.callId,
  sessionId: request.sessionId,
  workerPath: request.workerPath,
  rawParams,
  params: undecoded,
  startedAt: request.startedAt,
  attempt: 1,
  metadata: request.metadata ?? {},
  sink: request.sink as CallSink,
  ...(request.taskId === undefined ? {} : { taskId: request.taskId }),
  ...(request.by === "user" && { by: request.by })
})

/** Whether the caller may run the tool. */
const isFor = ({ mode }: Tool.Any, by: CallRequest["by"]): boolean => mode !== (by === "user" ? "llm" : "manual")

/**
 * Seals tools behind the gate; nothing can be added afterwards. It fails, naming the tool, for what would fail in a call: a
 * name that is taken or reserved, parameters that no model can be told of, a failure that has no `_tag` or `message`.
 *
 * @example
 * Toolset.make([Search, Deploy], { middleware: DefaultStack.make({ retry: policy }) })
 */
export const make = <
  const Tools extends ReadonlyArray<Tool.Any>,
  // oxlint-disable-next-line typescript/no-empty-object-type -- no middleware changes nothing
  C extends Change = {},
  G extends Gate = Guarded
>(
  tools: Tools,
  options: Options<C, G> = {}
): Effect.Effect<
  Toolset<
    SealedError<Tools, C>,
    // Written out, so that an editor shows the services and not the name of their union.
    Exclude<OwnRequirements<Tools[number]>, Provides<C>> | Requires<C> | Deciders<Tools[number], G>
  >,
  ToolsetInvalid
> =>
  Effect.suspend(() => {
    const { middleware } = options
    const gate: Gate = options.gate ?? guarded
    const known = new Map<string, Tool.Any>()
    const sealed = new Map<string, Sealed>()
    if (gate._tag === "Unguarded" && gate.reason.trim() === "") {
      return new ToolsetInvalid({ tool: tools[0]?.name ?? "", reason: "its gate is left out without a reason" })
    }
    for (const tool of tools) {
      const reason = refusal(tool, known)
      if (reason !== undefined) return new ToolsetInvalid({ tool: tool.name, reason })
      const around = middleware === undefined ? identity : "for" in middleware ? middleware.for(tool) : middleware
      const inner = (tool.middleware ?? identity) as Middleware<ToolCall>
      const own = handled(tool)
      known.set(tool.name, own)
      sealed.set(tool.name, {
        tool: own,
        chain: givingResults(tool.name, apply(stack(around as Middleware<ToolCall>, inner), leaf(tool.handler)))
      })
    }
    const missing = (name: string) =>
      new ToolNotFound({
        tool: name,
        known: [...known.values()].flatMap(({ location, mode, name }) =>
          mode !== "manual" && location !== "client" ? [name] : []
        )
      })
    const called = (request: CallRequest) =>
      Effect.suspend((): Effect.Effect<ToolResult, GateError> => {
        const found = sealed.get(request.name)
        const refused = (why: Effect.Effect<never, GateError>) =>
          request.sink === silent ? why : concluded(request, found?.tool, new Passage(gate), () => why)
        if (found === undefined) {
          return refused(
            reachesForReserved(request.name)
              ? Effect.zipRight(recorded(request), new ReservedToolName({ tool: request.name }))
              : missing(request.name)
          )
        }
        if (!isFor(found.tool, request.by)) return refused(missing(request.name))
        const params = paramsOf(request)
        if (Either.isLeft(params)) return refused(params.left)
        const { call, passage } = Passage.on(gate, callOf(request, found.tool, params.right))
        return request.sink === silent
          ? found.chain(call)
          : concluded(request, found.tool, passage, (sink) => {
              passage.given = forStack(sink)
              return found.chain({ ...call, sink: passage.given })
            })
      })
    const foresee: Toolset<never, never>["foresee"] = (request, foresee) =>
      Effect.suspend(() => {
        const found = sealed.get(request.name)
        const params = paramsOf(request)
        return found === undefined ||
          !isFor(found.tool, request.by) ||
          Either.isLeft(params) ||
          gate._tag === "Unguarded"
          ? Effect.succeed(undefined)
          : foreseen(callOf(request, found.tool, params.right), foresee)
      }).pipe(Effect.catchAllCause(() => Effect.succeed(undefined)))
    return Effect.succeed({ tools: new Map(known), gate, call: called, foresee })
  }) as unknown as Effect.Effect<Toolset<SealedError<Tools, C>, SealedRequirements<Tools, C, G>>, ToolsetInvalid>
