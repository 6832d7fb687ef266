import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { StoredMessage } from "../conversation/Message.ts"
import { endOf } from "../middleware/endOf.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import { cutMiddle } from "../text/visible.ts"
import type * as Tool from "../tool/Tool.ts"
import { made, ToolDefectCaught, trusted } from "../tool/ToolEvent.ts"
import type { ToolResult } from "../tool/ToolResult.ts"
import {
  type CallFailure,
  ToolCallCompleted,
  ToolCallFailed,
  ToolCallInterrupted,
  ToolCallRequested
} from "./CallEvent.ts"
import type { CallRequest, CallSink } from "./CallRequest.ts"
import { json } from "./json.ts"
import { told } from "./told.ts"
import type { Passage } from "./Passage.ts"

/** Characters of a tool's output that are kept for the result of an interrupted call. */
const partialLimit = 8 * 1024
/** Characters of parameters that were put in place of the model's. */
const maxChanged = 1000
/** Characters of the encoded form of a failure. */
const dataLimit = 16 * 1024

/** The result of a call as the conversation keeps it. */
export const toolMessage = (callId: string, content: string): StoredMessage => ({
  id: `result_${callId}`,
  message: { role: "tool", tool_call_id: callId, content }
})

/** A failure as the model reads it. */
export const errorContent = (message: string, more: Readonly<Record<string, string>> = {}): string =>
  JSON.stringify({ error: message, ...more })

const failure = Schema.decodeUnknownOption(Schema.parseJson(Schema.Struct({ error: Schema.String })), {
  onExcessProperty: "preserve"
})

/** The result of a failed call, with a note for the model. */
export const withMore = (stored: StoredMessage, more: Readonly<Record<string, unknown>>): StoredMessage => {
  const { message } = stored
  const known = message.role === "tool" ? failure(message.content) : Option.none()
  if (message.role !== "tool" || Option.isNone(known)) return stored
  return { ...stored, message: { ...message, content: JSON.stringify({ ...known.value, ...more }) } }
}

/** The note for the model on a call that did not end by its handler. */
const stays = "; what it did stays done. Verify before you repeat it."

/** Tells the model that what ran, as JSON text, is not what it asked for. */
export const ranNote = (ran: string, who = "the parameters were changed"): string =>
  `[${who}; what ran: ${cutMiddle(ran, maxChanged)}]\n`

const changedNote = ({ changed, edited, entered }: Passage): string =>
  changed === undefined || !entered
    ? ""
    : ranNote(JSON.stringify(changed), edited ? "the user changed the parameters before they approved them" : undefined)

/** Whether a failure is of the type that the tool declares, and its encoded form. */
const declared = (tool: Tool.Any | undefined, error: unknown): Option.Option<unknown> =>
  tool === undefined || tool.failure.ast._tag === "NeverKeyword"
    ? Option.none()
    : Either.getRight(Schema.encodeUnknownEither(tool.failure as Tool.AnySchema)(error))

const normalised = (error: unknown, data: Option.Option<unknown>): CallFailure => {
  const fits = Option.filter(data, (value) => Option.exists(json(value), (text) => text.length <= dataLimit))
  return {
    ...told(error),
    ...(Option.isSome(fits) && { data: fits.value })
  }
}

/**
 * Runs one call as the log has it: announced before, ended by exactly one event with its result, interruption included.
 */
export const concluded = <E, R>(
  request: CallRequest,
  tool: Tool.Any | undefined,
  passage: Passage,
  run: (sink: CallSink) => Effect.Effect<ToolResult, E, R>
): Effect.Effect<ToolResult, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const { callId, name, sink } = request
      const text = "arguments" in request ? request.arguments : Option.getOrElse(json(request.rawParams), () => "")
      passage.asked = text
      yield* sink.emit(made(ToolCallRequested, { _tag: "ToolCallRequested", callId, tool: name, arguments: text }))
      const from = yield* monotonicMillis
      let partial = ""
      const heard: CallSink = {
        emit: (event) => {
          if (event._tag === "ToolOutput") partial = (partial + event.text).slice(-partialLimit)
          return sink.emit(event)
        },
        commit: sink.commit
      }
      const exit = yield* Effect.exit(restore(Effect.suspend(() => run(heard))))
      passage.ended = true
      const durationMillis = Math.round((yield* monotonicMillis) - from)
      const common = { callId, tool: name, durationMillis }
      const happened = passage.entered !== undefined && tool?.readOnly !== true
      if (Exit.isSuccess(exit)) {
        const { failed, text } = exit.value
        const message = toolMessage(callId, `${changedNote(passage)}${text}`)
        const how = { ...(!passage.started && { answered: true as const }), ...(failed && { failed }) }
        yield* sink.emit(made(ToolCallCompleted, { _tag: "ToolCallCompleted", ...common, message, ...how }))
        return exit.value
      }
      const end = endOf(exit.cause)
      if (end === "interrupted") {
        const how = happened ? stays : passage.entered !== undefined ? "" : " before it ran"
        const content = errorContent(
          `${changedNote(passage)}${name} was interrupted${how}`,
          partial === "" ? {} : { partial }
        )
        yield* sink.emit(new ToolCallInterrupted({ ...common, message: toolMessage(callId, content) }, trusted))
        return yield* Effect.failCause(exit.cause)
      }
      if (end === "crashed") {
        const detail = Cause.pretty(exit.cause)
        yield* sink.emit(new ToolDefectCaught({ callId, tool: name, detail }, trusted))
      }
      const failure = end === "crashed" ? Option.none() : Cause.failureOption(exit.cause)
      const data = Option.flatMap(failure, (error) => declared(tool, error))
      const error = Option.match(failure, {
        onNone: (): CallFailure => ({ _tag: "Crashed", message: `tool ${name} crashed` }),
        onSome: (failed) => normalised(failed, data)
      })
      const own = Option.isSome(data) || !happened
      const content = errorContent(
        `${changedNote(passage)}${error.message}`,
        own ? {} : { note: `${name} had started${stays}` }
      )
      yield* sink.emit(new ToolCallFailed({ ...common, error, message: toolMessage(callId, content) }, trusted))
      return yield* Effect.failCause(exit.cause)
    })
  )
