import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { contextKey } from "../approval/requestOf.ts"
import type { FunctionCall, StoredMessage } from "../conversation/Message.ts"
import { endOf } from "../middleware/endOf.ts"
import { monotonicMillis } from "../middleware/monotonic.ts"
import type { ContextMessage } from "../tool/ApprovalRequest.ts"
import { legible } from "../tool/legible.ts"
import type { CallRequest, ToolSink } from "../tool/ToolCall.ts"
import { trusted, type ToolEvent } from "../tool/ToolEvent.ts"
import { ToolNotFound } from "../tool/Toolset.ts"
import { ToolCallCompleted, ToolCallFailed, ToolCallInterrupted, ToolCallRequested } from "./AgentEvent.ts"
import { approvalMessage } from "./approvalMessage.ts"
import type { CallError, Tools } from "./Tools.ts"
import { maxJsonDepth, parseJson } from "../text/Json.ts"
import type { WorkerSink } from "./WorkerSink.ts"

/** The arguments of a call are not the JSON object that they must be. */
export class ArgumentsMalformed extends Schema.TaggedError<ArgumentsMalformed>()("ArgumentsMalformed", {
  tool: Schema.String,
  reason: Schema.String,
  deep: Schema.optionalWith(Schema.Literal(true), { exact: true })
}) {
  override get message() {
    return this.deep === true
      ? `The arguments of ${legible(this.tool, 64)} are nested deeper than ${maxJsonDepth} levels. Call it again with flatter ones.`
      : `The arguments of ${legible(this.tool, 64)} are not a JSON object: ${this.reason}. Call it again with valid JSON.`
  }
}

export interface CallPlace {
  readonly sessionId: string
  readonly workerPath: ReadonlyArray<string>
  readonly iteration: number
  /** Who asks; the model where absent. A model cannot run a manual tool, nor a person one that is the model's (U2). */
  readonly by?: "user"
  /** The last messages of the conversation, for whoever has to decide on the call. */
  readonly context?: () => ReadonlyArray<ContextMessage>
}

/** How a call ended, for who asked for it; the log has it already. */
export interface Called {
  readonly content: string
  readonly error?: CallError
}

/** Characters of a tool's output that are kept for the result of an interrupted call. */
const partialLimit = 8 * 1024

const decode = Schema.decodeUnknownEither(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

const paramsOf = ({ function: { arguments: text, name } }: FunctionCall): Either.Either<unknown, ArgumentsMalformed> =>
  text.trim() === ""
    ? Either.right({})
    : parseJson(text).pipe(
        Either.flatMap(decode),
        Either.mapLeft(
          (why) =>
            new ArgumentsMalformed({
              tool: name,
              reason: legible(text.slice(0, 1000), 200),
              ...(why === "too deep" ? { deep: true as const } : {})
            })
        )
      )

/** The result of a call as the conversation keeps it. */
export const toolMessage = (callId: string, content: string): StoredMessage => ({
  id: `result_${callId}`,
  message: { role: "tool", tool_call_id: callId, content }
})

/** A failure as the model reads it (A11). */
export const errorContent = (message: string, more: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ error: message, ...more })

/** Any defect that got past the stack; its detail is in the log. */
const crashed = (tool: string): CallError => ({ _tag: "Crashed", message: `tool ${tool} crashed` })

/**
 * Runs one call of a model: announced before, ended by exactly one event whatever happens, interruption included, with its
 * result in the conversation.
 */
export const callTool = (
  tools: Tools["Type"],
  sink: WorkerSink,
  place: CallPlace,
  call: FunctionCall
): Effect.Effect<Called> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeMillis
      const from = yield* monotonicMillis
      const { iteration } = place
      const { id: callId } = call
      const tool = call.function.name
      yield* sink.emit(new ToolCallRequested({ callId, tool, arguments: call.function.arguments }, trusted), iteration)

      let partial = ""
      const note = (event: ToolEvent) => {
        if (event._tag === "ToolOutput") partial = (partial + event.text).slice(-partialLimit)
      }
      const toolSink: ToolSink = {
        emit: (event) => {
          note(event)
          const message = approvalMessage(event)
          return message === undefined ? sink.emit(event, iteration) : sink.emitAll([event, message], iteration)
        },
        commit: (event) => sink.commit(event, iteration)
      }
      const request = (rawParams: unknown): CallRequest => ({
        name: tool,
        callId,
        sessionId: place.sessionId,
        workerPath: place.workerPath,
        rawParams,
        startedAt,
        ...(place.context === undefined ? {} : { metadata: { [contextKey]: place.context } }),
        sink: toolSink
      })
      const known = tools.tools.get(tool)
      const run =
        known?.mode === "manual" && place.by === undefined
          ? new ToolNotFound({ tool, known: tools.functions(new Set()).map(({ name }) => name) })
          : Effect.flatMap(paramsOf(call), (params) => tools.call(request(params)))
      const exit = yield* Effect.exit(restore(run as Effect.Effect<{ readonly text: string }, CallError>))
      const durationMillis = Math.round((yield* monotonicMillis) - from)

      if (Exit.isSuccess(exit)) {
        const message = toolMessage(callId, exit.value.text)
        yield* sink.emit(new ToolCallCompleted({ callId, tool, message, durationMillis }, trusted), iteration)
        return { content: exit.value.text }
      }
      const end = endOf(exit.cause)
      if (end === "interrupted") {
        const content = errorContent(
          known?.readOnly === true
            ? `${tool} was interrupted`
            : `${tool} was interrupted; what it did until then stays done. Verify before you repeat it.`,
          partial === "" ? {} : { partial }
        )
        const message = toolMessage(callId, content)
        yield* sink.emit(new ToolCallInterrupted({ callId, tool, message, durationMillis }, trusted), iteration)
        return { content }
      }
      const failure = end === "crashed" ? Option.none() : Cause.failureOption(exit.cause)
      const error = Option.getOrElse(failure, () => crashed(tool))
      const content = errorContent(error.message)
      const message = toolMessage(callId, content)
      const told = { _tag: error._tag, message: error.message }
      yield* sink.emit(new ToolCallFailed({ callId, tool, error: told, message, durationMillis }, trusted), iteration)
      return { content, error }
    })
  )
