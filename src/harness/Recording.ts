import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type { StoredMessage } from "../conversation/Message.ts"
import { ModelView } from "../conversation/ModelView.ts"
import type { ModelService } from "../model/Model.ts"
import { ModelRejected } from "../model/ModelError.ts"
import type { ModelPart } from "../model/ModelPart.ts"
import { type Envelope, fromLine } from "../runtime/Envelope.ts"
import type { Event } from "../runtime/Event.ts"
import { changeOf } from "../runtime/Projection.ts"
import { unmarked } from "../text/byteOrderMark.ts"
import { placeKey } from "../tool/CallPlace.ts"
import { isAside, root, toText, type WorkerPath } from "../tool/WorkerPath.ts"
import { free } from "../cost/Price.ts"

/** A line of a recording is no event. */
export class RecordingInvalid extends Schema.TaggedError<RecordingInvalid>()("RecordingInvalid", {
  line: Schema.Number
}) {
  override get message() {
    return `Line ${this.line} of the recording is not an event of this version of Tollgate. Record the run again.`
  }
}

/** The events of JSONL, as `Envelope.toLine` writes them. */
export const parse = (text: string): Effect.Effect<ReadonlyArray<Envelope>, RecordingInvalid> =>
  Effect.forEach(
    unmarked(text)
      .split("\n")
      .flatMap((line, index) => (line.trim() === "" ? [] : [[line, index + 1] as const])),
    ([text, line]) => Either.mapLeft(fromLine(text), () => new RecordingInvalid({ line }))
  )

type Answered = Extract<Event, { readonly _tag: "ModelAnswered" }>

/**
 * What was asked last: the result of a call by its id, which the recording gives again, and all else by its text. A request
 * besides the work, as for a summary, is known by its worker: no log has its words.
 */
const questionOf = (last: StoredMessage | undefined, worker: WorkerPath = root): string => {
  if (isAside(worker)) return JSON.stringify(["aside", toText(worker)])
  const message = last?.message
  return message?.role === "tool"
    ? JSON.stringify(["tool", message.tool_call_id])
    : JSON.stringify([message?.role, message?.content])
}

const partsOf = ({ finish, message: { message }, usage }: Answered): ReadonlyArray<ModelPart> => {
  const calls = message.role === "assistant" ? (message.tool_calls ?? []) : []
  return [
    ...(message.content === null || message.content === ""
      ? []
      : [{ _tag: "TextDelta" as const, text: message.content }]),
    ...calls.map(({ function: { arguments: text, name }, id }) => ({
      _tag: "FunctionCalled" as const,
      id,
      name,
      arguments: text
    })),
    { _tag: "Finished", reason: finish, usage }
  ]
}

/** The answers of a log, each behind the message that its worker was shown last. */
const answersOf = (log: ReadonlyArray<Envelope>) => {
  const views = new Map<string, ModelView>()
  return log.flatMap(({ event, session, task, worker }) => {
    const place = JSON.stringify([session, placeKey({ task, worker: worker ?? root })])
    const view = views.get(place) ?? new ModelView()
    views.set(place, view)
    const found =
      event._tag === "ModelAnswered" ? [{ question: questionOf(view.all.at(-1), worker), answered: event }] : []
    const change = changeOf(event)
    if (change !== undefined) view.apply(change)
    return found
  })
}

/**
 * A model that repeats the answers of a recorded log, each to the message that it answered then, in any order of
 * workers; a request that was never recorded fails with `ModelRejected`.
 */
export const model = (log: ReadonlyArray<Envelope>): ModelService => {
  const left = answersOf(log)
  return {
    name: "recorded",
    price: free,
    served: { provider: "recorded" },
    stream: ({ messages, payer }) =>
      Stream.suspend(() => {
        const question = questionOf(messages.at(-1), payer?.worker)
        const index = left.findIndex((one) => one.question === question)
        const [found] = index === -1 ? [] : left.splice(index, 1)
        return found === undefined
          ? Stream.fail(
              new ModelRejected({
                model: "recorded",
                reason: `the recording has no answer to ${question}; record the run again`
              })
            )
          : Stream.fromIterable(partsOf(found.answered))
      })
  }
}
