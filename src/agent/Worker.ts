import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ClientTools } from "../tool/ClientTools.ts"
import type { FunctionCall, StoredMessage } from "../conversation/Message.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import type { ModelService } from "../model/Model.ts"
import type { CostError } from "../cost/CostError.ts"
import type { ModelError } from "../model/ModelError.ts"
import type { Usage } from "../model/ModelPart.ts"
import { Notified, trusted } from "../tool/ToolEvent.ts"
import { IterationEnded } from "./AgentEvent.ts"
import { answer } from "./answer.ts"
import { lastMessages } from "./lastMessages.ts"
import type { Meter } from "./Meter.ts"
import { type CallLimits, runCalls } from "./runCalls.ts"
import { questionIn } from "./NeedInput.ts"
import { isRoot } from "../tool/WorkerPath.ts"
import type { Tools } from "./Tools.ts"
import * as Spans from "./Spans.ts"
import type { WorkerSink } from "./WorkerSink.ts"

/** The loop made as many model requests as it may. */
export class IterationLimitReached extends Schema.TaggedError<IterationLimitReached>()("IterationLimitReached", {
  limit: Schema.Number
}) {
  override get message() {
    return `The task was stopped after ${this.limit} model requests. Raise maxIterations, or continue with another prompt.`
  }
}

/** A refusal that was meant for the whole task. */
export class TaskStopped extends Schema.TaggedError<TaskStopped>()("TaskStopped", {
  reason: Schema.String,
  /** The tag of the refusal. */
  error: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    return this.reason
  }
}

/** A sub-worker and those below it used as many tokens as one of them may. */
export class TokenBudgetReached extends Schema.TaggedError<TokenBudgetReached>()("TokenBudgetReached", {
  limit: Schema.Number
}) {
  override get message() {
    return `It used its ${this.limit} tokens. Raise the maxTokens of the worker, or give it a smaller task.`
  }
}

export interface WorkerLimits extends CallLimits {
  readonly maxIterations: number
  /** Characters of the conversation that go into one request. */
  readonly contextCharacters: number
}

/** Where a worker goes on that stopped, with its runtime, before the calls of its last answer had ended. */
export interface GoingOn {
  readonly iteration: number
  /** The calls that are still to end, in the model's order. */
  readonly calls: ReadonlyArray<FunctionCall>
  /** How many calls the answer asked for. */
  readonly asked: number
  /** What the answer used. */
  readonly usage: Usage
  /** What vouches for calls that had started, by their ids. */
  readonly started: ReadonlyMap<string, object>
  /** Run once the calls have ended. */
  readonly settled: Effect.Effect<unknown>
}

export interface WorkerOptions {
  readonly sessionId: string
  readonly project: string
  readonly workerPath: ReadonlyArray<string>
  readonly systemPrompt: string
  readonly profile: string
  readonly model: ModelService
  readonly tools: Tools["Type"]
  /** What the model sees; the owner of the sink adds every answer and result. */
  readonly view: ModelView
  readonly sink: WorkerSink
  readonly limits: WorkerLimits
  /** What this worker and those below it use. */
  readonly meter: Meter
  readonly spans: Spans.Spans
  /** Runs before each request. */
  readonly before?: (iteration: number) => Effect.Effect<void>
  /** Unset at its start. */
  readonly from?: GoingOn
}

export interface WorkerOutcome {
  readonly text: string
  /** Of the worker and those below it. */
  readonly usage: Usage
  readonly iterations: number
  /** What a sub-worker asks its parent, instead of a result. */
  readonly question?: string
}

export type WorkerError = ModelError | CostError | IterationLimitReached | TokenBudgetReached | TaskStopped

const forgotten = (messages: number, limit: number) =>
  new Notified(
    {
      level: "warning",
      title: "Conversation too long",
      message: `The model does not see the oldest ${messages} of its messages: a request holds at most ${limit} characters. Compact the conversation to replace them with a summary, or raise contextCharacters.`,
      durationMillis: 0
    },
    trusted
  )

/** Asks the model, runs the calls it asks for, and again, until it asks for none. */
export const run = (options: WorkerOptions): Effect.Effect<WorkerOutcome, WorkerError> => {
  const { limits, meter, sink, tools, view } = options
  const system: StoredMessage = { id: "system", message: { role: "system", content: options.systemPrompt } }

  const {
    model: { contextWindow },
    sessionId,
    workerPath
  } = options
  /** What a sub-worker asks its parent, which ends it. */
  const asked = (iterations: number): WorkerOutcome | undefined => {
    const question = isRoot(workerPath) ? undefined : questionIn(view.all)
    return question === undefined ? undefined : { text: question, question, usage: meter.usage, iterations }
  }
  /** Runs the calls of an answer and ends its iteration. */
  const conclude = (
    { asked, calls, iteration, started, usage }: Omit<GoingOn, "settled" | "started"> & Partial<GoingOn>,
    startedAt: number
  ) =>
    Effect.gen(function* () {
      const context = () => lastMessages(view)
      const place = { sessionId, workerPath, iteration, context, ...(started === undefined ? {} : { started }) }
      const refusal = yield* runCalls(calls, { tools, sink, place, limits })
      if (refusal !== undefined) return yield* new TaskStopped({ reason: refusal.message, error: refusal._tag })
      yield* sink.emit(
        new IterationEnded(
          {
            usage,
            totalTokens: meter.totalTokens,
            calls: asked,
            durationMillis: Math.round((yield* monotonicMillis) - startedAt),
            ...(contextWindow === undefined ? {} : { contextWindow })
          },
          trusted
        ),
        iteration
      )
    })

  const loop = Effect.gen(function* () {
    const { from } = options
    if (from !== undefined) {
      yield* Effect.ensuring(conclude(from, yield* monotonicMillis), from.settled)
      const question = asked(from.iteration)
      if (question !== undefined) return question
    }
    const functions = tools.functions(yield* (yield* ClientTools).declared(options.sessionId))
    let told = false
    for (let iteration = (from?.iteration ?? 0) + 1; iteration <= limits.maxIterations; iteration++) {
      const budget = meter.exceeded
      if (budget !== undefined) return yield* new TokenBudgetReached({ limit: budget })
      const startedAt = yield* monotonicMillis
      if (options.before !== undefined) yield* options.before(iteration)
      const messages = view.window(limits.contextCharacters)
      const left = view.count - messages.length
      if (left > 0 && !told) {
        told = true
        yield* sink.emit(forgotten(left, limits.contextCharacters), iteration)
      }
      const request = {
        messages: options.systemPrompt === "" ? messages : [system, ...messages],
        functions,
        payer: { session: sessionId, project: options.project, task: sink.task, worker: workerPath, iteration }
      }
      const { calls, finished, text } = yield* Spans.chat(
        options,
        answer(options.model, options.profile, request, sink)
      )
      meter.add(finished.usage)
      yield* conclude({ iteration, calls, asked: calls.length, usage: finished.usage }, startedAt)
      if (calls.length === 0) return { text, usage: meter.usage, iterations: iteration }
      const question = asked(iteration)
      if (question !== undefined) return question
    }
    return yield* new IterationLimitReached({ limit: limits.maxIterations })
  })
  return Spans.invokeAgent(options, loop)
}
