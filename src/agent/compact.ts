import * as Effect from "effect/Effect"
import { asking, shortened, summaryText } from "../conversation/Compaction.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import { sizeOf } from "../conversation/size.ts"
import type { CostError } from "../cost/CostError.ts"
import type { FunctionDefinition, ModelService } from "../model/Model.ts"
import { type ModelError, ModelMalformed } from "../model/ModelError.ts"
import type { Usage } from "../model/ModelPart.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { compaction, type WorkerPath } from "../tool/WorkerPath.ts"
import { SessionCompacted } from "./AgentEvent.ts"
import { answer } from "./answer.ts"
import { fixedSize, type Gauge, roomOf } from "./Gauge.ts"
import * as Spans from "./Spans.ts"
import type { WorkerSink } from "./WorkerSink.ts"

/** What a model that summarises is, and what it has seen so far. */
export interface Summarising {
  readonly sessionId: string
  readonly project: string
  readonly workerPath: WorkerPath
  readonly profile: string
  readonly model: ModelService
  readonly spans: Spans.Spans
  /** What its requests begin with, as those of the conversation do, so that the provider's cache of them holds. */
  readonly systemPrompt: string
  readonly functions: ReadonlyArray<FunctionDefinition>
  /** Where the request is told of. */
  readonly sink: WorkerSink
  readonly gauge: Gauge
  /** Characters of messages in one request. */
  readonly contextCharacters: number
}

export interface Summary {
  readonly text: string
  readonly usage: Usage
}

/** Asks for a summary of the messages: once, and once more for one of fewer where they were too long for the model. */
export const summarise = (
  of: Summarising,
  messages: ReadonlyArray<StoredMessage>,
  {
    instructions,
    iteration,
    isTooLong = false
  }: {
    readonly instructions?: string | undefined
    readonly iteration: number
    /** The model has refused them as too long. */
    readonly isTooLong?: boolean
  }
): Effect.Effect<Summary, ModelError | CostError> => {
  const { functions, gauge, model, profile, project, sessionId, sink, systemPrompt, workerPath } = of
  const system: ReadonlyArray<StoredMessage> =
    systemPrompt === "" ? [] : [{ id: "system", message: { role: "system", content: systemPrompt } }]
  const payer = { session: sessionId, project, task: sink.task, worker: compaction(workerPath), iteration }
  const room = roomOf(model)
  const fixed = fixedSize(systemPrompt, functions)
  const fits = room === undefined ? Infinity : gauge.characters(room) - fixed
  const whole = Math.max(0, Math.min(of.contextCharacters, fits))
  const half = Math.min(whole, Math.floor(sizeOf(messages) / 2))
  const asked = (limit: number) =>
    Effect.suspend(() => {
      const shown = [...shortened(messages, limit), asking(instructions)]
      const request = { messages: [...system, ...shown], functions, payer }
      return Effect.tap(Spans.chat(of, answer(model, profile, request, sink)), ({ finished }) =>
        gauge.learn(finished.usage, fixed + sizeOf(shown))
      )
    })
  return Effect.flatMap(
    isTooLong ? asked(half) : Effect.catchTag(asked(whole), "ModelContextExceeded", () => asked(half)),
    ({ calls, finished, text }) => {
      const reason = calls.length > 0 ? "it made calls instead of a summary" : "its summary is empty"
      return calls.length > 0 || text.trim() === ""
        ? new ModelMalformed({ model: model.name, reason })
        : Effect.succeed({ text, usage: finished.usage })
    }
  )
}

/** The event that puts a summary in place of what a worker has seen. */
export const compacted = (
  view: ModelView,
  {
    edited,
    gauge,
    goesOn = false,
    kept = [],
    text,
    fixed = 0
  }: {
    readonly text: string
    readonly kept?: ReadonlyArray<StoredMessage>
    /** In the middle of a task. */
    readonly goesOn?: boolean
    readonly edited?: boolean
    readonly gauge: Gauge
    /** Characters of what each request begins with. */
    readonly fixed?: number
  }
): Effect.Effect<SessionCompacted> =>
  Effect.gen(function* () {
    const { todos } = view
    const content = summaryText(text, todos, goesOn)
    const message: StoredMessage = { id: yield* (yield* Ids).next("summary"), message: { role: "system", content } }
    return new SessionCompacted(
      {
        message,
        ...(kept.length === 0 ? {} : { kept }),
        ...(todos.length === 0 ? {} : { todos }),
        tokens: {
          before: gauge.tokens(fixed + view.size),
          after: gauge.tokens(fixed + sizeOf([message, ...kept]))
        },
        ...(edited === true ? { edited } : {})
      },
      trusted
    )
  })
