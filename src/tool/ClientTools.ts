import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { timeSpan } from "../system/wholeNumber.ts"
import { Ids } from "./Ids.ts"
import type { ToolCall } from "./ToolCall.ts"
import * as Tool from "./Tool.ts"
import { ClientCallRequested, trusted } from "./ToolEvent.ts"
import { duration } from "../text/duration.ts"

/** A frontend did not run a call of one of its tools. */
export class ClientCallFailed extends Schema.TaggedError<ClientCallFailed>()("ClientCallFailed", {
  tool: Schema.String,
  why: Schema.Literal("unsupported", "timeout", "error", "invalid", "busy"),
  detail: Schema.String
}) {
  override get message() {
    return `${this.tool} runs in the user's client, which did not run it: ${this.detail}`
  }
}

/** A client answered a call that does not wait for an answer. */
export class ClientCallNotPending extends Schema.TaggedError<ClientCallNotPending>()("ClientCallNotPending", {
  requestId: Schema.String
}) {
  override get message() {
    return `Call ${this.requestId} does not wait for a client: it was answered, cancelled or never made. Nothing has changed.`
  }
}

export interface ClientAnswer {
  readonly sessionId: string
  readonly requestId: string
  readonly result?: unknown
  /** Why there is no result. */
  readonly error?: string
}

export interface ClientToolsOptions {
  /** How long a client has. Default: 1 minute. */
  readonly timeout?: Duration.DurationInput
}

/** What of a call a frontend gets. */
export type ClientCall = Pick<ToolCall, "callId" | "name" | "sessionId" | "rawParams" | "sink">

export interface Shape {
  /** Forwards a call to the frontend of its session and awaits the result, which is data of a stranger. */
  readonly call: (call: ClientCall) => Effect.Effect<unknown, ClientCallFailed>
  readonly answer: (answer: ClientAnswer) => Effect.Effect<void, ClientCallNotPending>
  /** Which tools the frontend of a session can run; a call of any other is denied at once. */
  readonly declare: (session: string, tools: ReadonlyArray<string>) => Effect.Effect<void>
  readonly declared: (session: string) => Effect.Effect<ReadonlySet<string>>
  readonly endSession: (session: string) => Effect.Effect<void>
}

const unsupported = (tool: string) =>
  new ClientCallFailed({ tool, why: "unsupported", detail: "the client has not declared it." })

const none: ReadonlySet<string> = new Set()

/** Calls that wait for clients at the same time, and characters of an answer. */
const maxPending = 64
const maxResult = 1024 * 1024

/** The tools that a frontend runs itself; none where no layer is provided. */
export class ClientTools extends Context.Reference<ClientTools>()("tollgate/tool/ClientTools", {
  defaultValue: (): Shape => ({
    call: (call) => unsupported(call.name),
    answer: ({ requestId }) => new ClientCallNotPending({ requestId }),
    declare: () => Effect.void,
    declared: () => Effect.succeed(none),
    endSession: () => Effect.void
  })
}) {
  static readonly layer = (options: ClientToolsOptions = {}): Layer.Layer<ClientTools> =>
    Layer.effect(ClientTools, make(options))
}

interface Waiting {
  readonly sessionId: string
  readonly answer: Deferred.Deferred<ClientAnswer>
}

const make = ({ timeout = "1 minute" }: ClientToolsOptions) =>
  Effect.gen(function* () {
    const ids = yield* Ids
    const timeoutMillis = Duration.toMillis(timeSpan("ClientTools: timeout", timeout))
    const declared = new Map<string, ReadonlySet<string>>()
    const waiting = new Map<string, Waiting>()

    const call: Shape["call"] = (call) =>
      Effect.gen(function* () {
        const { callId, name: tool, sessionId } = call
        if (declared.get(sessionId)?.has(tool) !== true) return yield* unsupported(tool)
        if (waiting.size >= maxPending) {
          return yield* new ClientCallFailed({
            tool,
            why: "busy",
            detail: `${maxPending} calls are waiting for clients already.`
          })
        }
        const requestId = yield* ids.next("client")
        const answer = yield* Deferred.make<ClientAnswer>()
        const request = { callId, tool, requestId, parameters: call.rawParams, timeoutMillis }
        const answered = Deferred.await(answer).pipe(
          Effect.timeoutFail({
            duration: timeoutMillis,
            onTimeout: () =>
              new ClientCallFailed({
                tool,
                why: "timeout",
                detail: `it did not answer within ${duration(timeoutMillis)}.`
              })
          }),
          // In a step of a stack that nothing interrupts, the time would have to pass.
          Effect.interruptible
        )
        const { error, result } = yield* Effect.acquireUseRelease(
          Effect.sync(() => waiting.set(requestId, { sessionId, answer })),
          () => Effect.zipRight(call.sink.emit(new ClientCallRequested(request, trusted)), answered),
          () => Effect.sync(() => waiting.delete(requestId))
        )
        if (error !== undefined) {
          return yield* new ClientCallFailed({ tool, why: "error", detail: error.slice(0, 1000) })
        }
        if ((JSON.stringify(result) ?? "").length > maxResult) {
          return yield* new ClientCallFailed({ tool, why: "invalid", detail: "its answer is too long." })
        }
        return result
      })

    return {
      call,
      answer: Effect.fn("ClientTools.answer")(function* (given: ClientAnswer) {
        const { requestId, sessionId } = given
        const found = waiting.get(requestId)
        if (found === undefined || found.sessionId !== sessionId) return yield* new ClientCallNotPending({ requestId })
        const first = yield* Deferred.succeed(found.answer, given)
        if (!first) return yield* new ClientCallNotPending({ requestId })
      }),
      declare: (session, tools) => Effect.sync(() => void declared.set(session, new Set(tools.slice(0, 1000)))),
      declared: (session) => Effect.sync(() => declared.get(session) ?? none),
      endSession: (session) => Effect.sync(() => void declared.delete(session))
    } satisfies Shape
  })

/** A tool that runs in the client: its result is decoded like any stranger's words. */
export const clientTool = <const Name extends string, Params extends Tool.AnySchema, Success extends Tool.AnySchema>(
  name: Name,
  options: Pick<
    Tool.Options<Params, Success, typeof ClientCallFailed, never, false, false>,
    | "description"
    | "parameters"
    | "success"
    | "approval"
    | "touches"
    | "risk"
    | "mode"
    | "label"
    | "category"
    | "timeout"
  >
): Tool.Tool<Name, Params, Success, typeof ClientCallFailed, never, false> => {
  const decode = Schema.decodeUnknown(options.success)
  return Tool.make(name, {
    ...options,
    failure: ClientCallFailed,
    location: "client",
    handler: (_, call) =>
      Effect.flatMap(ClientTools, (tools) =>
        Effect.flatMap(tools.call(call), (answer) =>
          Effect.mapError(
            decode(answer),
            () =>
              new ClientCallFailed({
                tool: name,
                why: "invalid",
                detail: "its answer does not match the tool's schema."
              })
          )
        )
      )
  })
}
