import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
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
import { legible } from "./legible.ts"
import type { ParametersInvalid } from "./Parameters.ts"
import { isReserved } from "./reserved.ts"
import type * as Tool from "./Tool.ts"
import type { CallRequest, ToolCall } from "./ToolCall.ts"
import { ResultInvalid, type ToolResult } from "./ToolResult.ts"
import { decoded, isInvalid, undecoded } from "./validate.ts"

const named = (tool: string): string => JSON.stringify(legible(tool, 64))

/** A model asked for a tool that is not there. */
export class ToolNotFound extends Schema.TaggedError<ToolNotFound>()("ToolNotFound", {
  tool: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    return `There is no tool ${named(this.tool)}. Available: ${this.known.slice(0, 32).join(", ") || "none"}.`
  }
}

/** Someone other than the runtime named a `client.*` tool (A4). */
export class ReservedToolName extends Schema.TaggedError<ReservedToolName>()("ReservedToolName", {
  tool: Schema.String
}) {
  override get message() {
    return `The tool name ${named(this.tool)} is reserved for the runtime and cannot be called or registered.`
  }
}

/** A set of tools that cannot be sealed. */
export class ToolsetInvalid extends Schema.TaggedError<ToolsetInvalid>()("ToolsetInvalid", {
  tool: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Tool ${named(this.tool)} cannot be part of the toolset: ${this.reason}`
  }
}

/** A sealed set of tools, each behind its stack; the chains are composed once (T3). */
export interface Toolset<out E, out R> {
  readonly tools: ReadonlyMap<string, Tool.Any>
  /** Runs a call through the tool's chain. */
  readonly call: (request: CallRequest) => Effect.Effect<ToolResult, E, R>
}

type OwnError<T> = T extends Tool.Any
  ? Exclude<Tool.Failure<T>, Handles<Tool.ChangeOf<T>>> | Fails<Tool.ChangeOf<T>>
  : never
type OwnRequirements<T> = T extends Tool.Any
  ? Exclude<Tool.Requirements<T>, Provides<Tool.ChangeOf<T>>> | Requires<Tool.ChangeOf<T>>
  : never

/** What a call can fail with, whatever its tool. */
export type GateError = ToolNotFound | ReservedToolName | ParametersInvalid | ResultInvalid

export type SealedError<Tools extends ReadonlyArray<Tool.Any>, C extends Change> =
  | Exclude<OwnError<Tools[number]> | ParametersInvalid | ResultInvalid, Handles<C>>
  | Fails<C>
  | ToolNotFound
  | ReservedToolName

export type SealedRequirements<Tools extends ReadonlyArray<Tool.Any>, C extends Change> =
  Exclude<OwnRequirements<Tools[number]>, Provides<C>> | Requires<C>

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
          ? "it has a retry policy, but is declared neither read-only nor idempotent: repeating it may do harm"
          : undefined

/** The handler's own error and requirements are in the toolset's type; here they are out of sight. */
const handle = (call: ToolCall): Effect.Effect<unknown> => {
  const handler: (params: never, call: ToolCall) => unknown = call.tool.handler
  return handler(call.params as never, call) as Effect.Effect<unknown>
}

const encoded = (tool: Tool.Any, success: unknown): Effect.Effect<ToolResult, ResultInvalid> => {
  const result = tool.codec.encode()(success)
  return Either.isRight(result)
    ? Effect.succeed(result.right)
    : Effect.fail(new ResultInvalid({ tool: tool.name, reason: result.left }))
}

/**
 * Runs the handler on decoded parameters and encodes what it gives. It does nothing until it is run: a middleware that holds
 * the effect and then refuses has not called the handler.
 */
const leaf = (call: ToolCall): Effect.Effect<ToolResult, never> =>
  Effect.suspend((): Effect.Effect<ToolResult, ParametersInvalid | ResultInvalid> => {
    const ready = decoded(call)
    if (isInvalid(ready)) return Effect.fail(ready)
    const running = handle(ready)
    return Exit.isExit(running) && Exit.isSuccess(running)
      ? encoded(ready.tool, running.value)
      : Effect.flatMap(running, (success) => encoded(ready.tool, success))
  }) as Effect.Effect<ToolResult>

/**
 * Seals tools behind a stack; nothing can be added afterwards. The global middleware is outside each tool's own; where it
 * is a function, it says for every tool what its stack is, so that a step not configured is not in the chain.
 */
export const seal = <
  const Tools extends ReadonlyArray<Tool.Any>,
  // oxlint-disable-next-line typescript/no-empty-object-type -- no middleware changes nothing
  C extends Change = {}
>(options: {
  readonly tools: Tools
  readonly middleware?: Middleware<ToolCall, C> | { readonly for: (tool: Tool.Any) => Middleware<ToolCall, C> }
}): Effect.Effect<Toolset<SealedError<Tools, C>, SealedRequirements<Tools, C>>, ToolsetInvalid> =>
  Effect.suspend(() => {
    const tools = new Map<string, Tool.Any>()
    const chains = new Map<string, (call: ToolCall) => Effect.Effect<ToolResult>>()
    for (const tool of options.tools) {
      const reason = refusal(tool, tools)
      if (reason !== undefined) return Effect.fail(new ToolsetInvalid({ tool: tool.name, reason }))
      const global =
        options.middleware === undefined
          ? identity
          : "for" in options.middleware
            ? options.middleware.for(tool)
            : options.middleware
      const own = (tool.middleware ?? identity) as Middleware<ToolCall>
      tools.set(tool.name, tool)
      chains.set(tool.name, apply(stack(global as Middleware<ToolCall>, own), leaf))
    }
    const call = (request: CallRequest): Effect.Effect<ToolResult, ToolNotFound | ReservedToolName> => {
      const chain = chains.get(request.name)
      const tool = tools.get(request.name)
      if (chain === undefined || tool === undefined) {
        return Effect.fail(
          isReserved(request.name)
            ? new ReservedToolName({ tool: request.name })
            : new ToolNotFound({
                tool: request.name,
                known: [...tools.values()]
                  .filter(({ location, mode }) => mode !== "manual" && location !== "client")
                  .map(({ name }) => name)
              })
        )
      }
      return chain({
        kind: "tool",
        name: tool.name,
        tool,
        callId: request.callId,
        sessionId: request.sessionId,
        workerPath: request.workerPath,
        rawParams: request.rawParams,
        params: undecoded,
        startedAt: request.startedAt,
        attempt: 1,
        metadata: request.metadata ?? {},
        sink: request.sink
      })
    }
    return Effect.succeed({ tools, call })
  }) as unknown as Effect.Effect<Toolset<SealedError<Tools, C>, SealedRequirements<Tools, C>>, ToolsetInvalid>
