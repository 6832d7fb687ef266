import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Edited } from "../approval/Request.ts"
import { ClientTools } from "../tool/ClientTools.ts"
import { keptOf } from "../conversation/Compaction.ts"
import type { FunctionCall, StoredMessage } from "../conversation/Message.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import { sizeOf } from "../conversation/size.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import type { ModelService } from "../model/Model.ts"
import type { CostError } from "../cost/CostError.ts"
import type { ModelError } from "../model/ModelError.ts"
import { CutOff, type Usage } from "../model/ModelPart.ts"
import { Notified, trusted } from "../tool/ToolEvent.ts"
import { IterationEnded } from "./AgentEvent.ts"
import { answer } from "./answer.ts"
import { compacted, summarise } from "./compact.ts"
import { fixedSize, Gauge, roomOf } from "./Gauge.ts"
import { lastMessages } from "./lastMessages.ts"
import type { Meter } from "./Meter.ts"
import { Refusals } from "./Refusals.ts"
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
    return `Stopped after ${this.limit} model requests, the most that one worker may make. Raise maxIterations, or continue with another prompt.`
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
  /** Whether a summary replaces a conversation that is about to become too long. */
  readonly autoCompact: boolean
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
  /** What a person had put in place of the parameters of calls, by their ids. */
  readonly edited: ReadonlyMap<string, Edited>
  /** Run once the calls have ended. */
  readonly settled: Effect.Effect<unknown>
}

export interface WorkerOptions {
  readonly sessionId: string
  readonly project: string
  readonly workerPath: ReadonlyArray<string>
  readonly systemPrompt: string
  /** The system prompt once a summary has taken the place of notes that changed it. */
  readonly renewed?: Effect.Effect<string>
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
  /** What is known of the sizes of its requests; nothing if unset. */
  readonly gauge?: Gauge
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
  /** What cut the last answer off. */
  readonly finish?: CutOff
  /** What a sub-worker asks its parent, instead of a result. */
  readonly question?: string
}

export type WorkerError = ModelError | CostError | IterationLimitReached | TokenBudgetReached | TaskStopped

const isCutOff = Schema.is(CutOff)

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

const uncompacted = (reason: string) =>
  new Notified(
    {
      level: "warning",
      title: "Not compacted",
      message: `The conversation is as it was: ${reason}`,
      durationMillis: 0
    },
    trusted
  )

/** The part of what a model takes that the last messages may have behind a summary. */
const keptPart = 8
/** The part of what fits by which a conversation has grown before it is summarised again. */
const grownPart = 8
/** The part of a context that is worth a summary. */
const usefulPart = 8
/** The part of `contextCharacters` from which on a summary is made. */
const fullPart = 0.9

/** Asks the model, runs the calls it asks for, and again, until it asks for none. */
export const run = (options: WorkerOptions): Effect.Effect<WorkerOutcome, WorkerError> => {
  const { gauge = new Gauge(), limits, meter, sink, tools, view } = options
  let { systemPrompt } = options
  const refusals = new Refusals()

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
    {
      asked,
      calls,
      edited = new Map(),
      iteration,
      started = new Map(),
      usage
    }: Omit<GoingOn, "edited" | "settled" | "started"> & Partial<GoingOn>,
    startedAt: number
  ) =>
    Effect.gen(function* () {
      const context = () => lastMessages(view)
      const place = { sessionId, workerPath, iteration, context, edited, started }
      const refusal = yield* runCalls(calls, { tools, sink, place, limits, refusals })
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
    const room = roomOf(options.model)
    let told = false
    /** Characters that it must have reached before it is summarised again; infinitely many once that has failed. */
    let again = 0

    /** Characters of messages that fit into a request; a context that has next to no room for messages is left to its model. */
    const fits = (): number => {
      const all = room === undefined ? Infinity : gauge.characters(room)
      const left = all - fixedSize(systemPrompt, functions)
      return Math.min(limits.contextCharacters * fullPart, left < all / usefulPart ? Infinity : left)
    }
    /** Puts a summary in place of what came before; false where there is nothing to gain, or it failed. */
    const compact = (iteration: number, isTooLong: boolean): Effect.Effect<boolean> =>
      Effect.gen(function* () {
        const messages = view.window(limits.contextCharacters)
        const kept = keptOf(messages, Math.min(fits(), sizeOf(messages)) / keptPart)
        if (kept.length >= messages.length) return false
        const of = { ...options, systemPrompt, functions, sink: sink.compaction(), gauge, ...limits }
        const { text, usage } = yield* summarise(of, messages, { iteration, isTooLong })
        meter.add(usage)
        const fixed = fixedSize(systemPrompt, functions)
        yield* sink.emit(yield* compacted(view, { text, kept, goesOn: true, gauge, fixed }), iteration)
        if (options.renewed !== undefined) systemPrompt = yield* options.renewed
        again = view.size + fits() / grownPart
        return true
      }).pipe(
        Effect.catchAll(({ message }) =>
          Effect.suspend(() => {
            again = Infinity
            return Effect.as(sink.emit(uncompacted(message), iteration), false)
          })
        )
      )
    const ask = (iteration: number) =>
      Effect.suspend(() => {
        const messages = view.window(limits.contextCharacters)
        const system: StoredMessage = { id: "system", message: { role: "system", content: systemPrompt } }
        const payer = { session: sessionId, project: options.project, task: sink.task, worker: workerPath, iteration }
        const request = { messages: systemPrompt === "" ? messages : [system, ...messages], functions, payer }
        const size = fixedSize(systemPrompt, functions) + view.sizeOf(messages)
        const left = view.count - messages.length
        const warned =
          left === 0 || told ? Effect.void : sink.emit(forgotten(left, limits.contextCharacters), iteration)
        told ||= left > 0
        return Effect.zipRight(
          warned,
          Effect.tap(Spans.chat(options, answer(options.model, options.profile, request, sink)), ({ finished }) =>
            gauge.learn(finished.usage, size)
          )
        )
      })

    for (let iteration = (from?.iteration ?? 0) + 1; iteration <= limits.maxIterations; iteration++) {
      const budget = meter.exceeded
      if (budget !== undefined) return yield* new TokenBudgetReached({ limit: budget })
      const startedAt = yield* monotonicMillis
      if (options.before !== undefined) yield* options.before(iteration)
      if (limits.autoCompact && view.size > Math.max(again, fits())) yield* compact(iteration, false)
      const { calls, finished, text } = yield* Effect.catchTag(ask(iteration), "ModelContextExceeded", (error) =>
        limits.autoCompact && again !== Infinity
          ? Effect.flatMap(compact(iteration, true), (shorter) => (shorter ? ask(iteration) : error))
          : error
      )
      meter.add(finished.usage)
      yield* conclude({ iteration, calls, asked: calls.length, usage: finished.usage }, startedAt)
      if (calls.length === 0) {
        const cut = isCutOff(finished.reason) ? { finish: finished.reason } : {}
        return { text, usage: meter.usage, iterations: iteration, ...cut }
      }
      const question = asked(iteration)
      if (question !== undefined) return question
    }
    return yield* new IterationLimitReached({ limit: limits.maxIterations })
  })
  return Spans.invokeAgent(options, loop)
}
