import * as Effect from "effect/Effect"
import type { FunctionCall, StoredMessage } from "../conversation/Message.ts"
import type { CostError } from "../cost/CostError.ts"
import type { CostEvent } from "../cost/CostEvent.ts"
import type { Payer } from "../cost/Payer.ts"
import { endOf } from "../middleware/endOf.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import type { ModelRequest, ModelService } from "../model/Model.ts"
import { type ModelError, ModelCrashed, ModelCut, ModelMalformed } from "../model/ModelError.ts"
import type { Finished, ModelPart } from "../model/ModelPart.ts"
import { Refused, run, type Tell } from "../model/Push.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import {
  ArgumentsDelta,
  MessageRecorded,
  ModelInterrupted,
  ModelAnswered,
  ModelAttemptFailed,
  ModelRequested,
  ReasoningDelta,
  TextDelta
} from "./AgentEvent.ts"
import { askToRaise } from "./budgetQuestion.ts"
import * as RequestAccount from "./RequestAccount.ts"
import type { WorkerSink } from "./WorkerSink.ts"

export interface Answer {
  readonly message: StoredMessage
  readonly text: string
  readonly calls: ReadonlyArray<FunctionCall>
  readonly finished: Finished
}

/** Characters of one answer; a model that says more is broken. */
const answerLimit = 64 * 1024 * 1024
/** Calls of one answer; one that asks for more is refused as a whole. */
const callLimit = 1024
/** Characters of the name of a tool; no tool has one that is longer than 64. */
const nameLimit = 128

/** The name as sent; one that cannot be a tool's is cut. */
const bounded = (name: string): string => (name.length <= nameLimit ? name : `${name.slice(0, nameLimit)}…`)

/** What has come of an answer so far. */
class Draft {
  private text: Array<string> = []
  private reasoning: Array<string> = []
  private calls: Array<FunctionCall> = []
  private readonly ids = new Set<string>()
  size = 0
  finished: Finished | undefined

  add(part: ModelPart): void {
    switch (part._tag) {
      case "TextDelta":
        this.text.push(part.text)
        this.size += part.text.length
        break
      case "ReasoningDelta":
        this.reasoning.push(part.text)
        this.size += part.text.length
        break
      case "FunctionCalled":
        this.calls.push(
          this.distinct({
            id: part.id,
            type: "function",
            function: { name: bounded(part.name), arguments: part.arguments }
          })
        )
        this.size += part.arguments.length
        break
      case "AttemptFailed":
        this.text = []
        this.reasoning = []
        this.calls = []
        this.ids.clear()
        this.size = 0
        break
      case "Finished":
        this.finished = part
        break
      case "ArgumentsDelta":
        break
    }
    if (this.text.length > 4096) this.text = [this.text.join("")]
  }

  /** Two calls of one answer never share an id, even if the model repeats one. */
  private distinct(call: FunctionCall): FunctionCall {
    let id = call.id
    for (let suffix = this.calls.length; this.ids.has(id); suffix++) id = `${call.id}-${suffix}`
    this.ids.add(id)
    return { ...call, id }
  }

  get isTooLong(): boolean {
    return this.size > answerLimit
  }
  get asksForTooMuch(): boolean {
    return this.calls.length > callLimit
  }
  get said(): string {
    return this.text.join("")
  }

  answer(id: string, finished: Finished): Answer {
    const text = this.said
    const reasoning = this.reasoning.join("")
    // What a filter has withheld may have been the condition of a call.
    const calls = finished.reason === "content_filter" ? [] : this.calls
    return {
      text,
      calls,
      finished,
      message: {
        id,
        message: {
          role: "assistant",
          content: text === "" && calls.length > 0 ? null : text,
          ...(calls.length > 0 ? { tool_calls: calls } : {})
        },
        ...(reasoning === "" ? {} : { reasoning }),
        ...(finished.provider === undefined ? {} : { provider: finished.provider })
      }
    }
  }
}

/** The event that a part leads to at once. */
const eventOf = (part: ModelPart) => {
  switch (part._tag) {
    case "TextDelta":
      return new TextDelta({ text: part.text, offset: 0 }, trusted)
    case "ReasoningDelta":
      return new ReasoningDelta({ text: part.text, offset: 0 }, trusted)
    case "ArgumentsDelta":
      return new ArgumentsDelta({ callId: part.id, tool: bounded(part.name), text: part.text, offset: 0 }, trusted)
    case "AttemptFailed":
      return new ModelAttemptFailed(
        { attempt: part.attempt, reason: part.reason, delayMillis: part.delayMillis },
        trusted
      )
    case "FunctionCalled":
    case "Finished":
      return undefined
  }
}

/** A request that goes on somebody's account. */
export type PaidRequest = ModelRequest & { readonly payer: Payer }

/** One request to a model and its whole answer, told as it comes; an answer cut off is never half-stored. */
export const answer = (
  model: ModelService,
  profile: string,
  request: PaidRequest,
  sink: WorkerSink
): Effect.Effect<Answer, ModelError | CostError> =>
  Effect.gen(function* () {
    const { iteration } = request.payer
    const ids = yield* Ids
    const startedAt = yield* monotonicMillis
    const begun = new ModelRequested(
      { profile, model: model.name, messages: request.messages.length, functions: request.functions.length },
      trusted
    )
    const draft = new Draft()
    /** Whether a part is being told of, in code that is not the model's. */
    let telling = false
    const refuse = (reason: string) => new Refused({ error: new ModelMalformed({ model: model.name, reason }) })
    const tell = (event: NonNullable<ReturnType<typeof eventOf>>) => sink.emit(event, iteration)
    const charge = (events: ReadonlyArray<CostEvent>) =>
      events.length === 0 ? Effect.void : sink.emitAll(events, iteration)
    const hear =
      (account: RequestAccount.RequestAccount): Tell =>
      (part) => {
        const { size } = draft
        draft.add(part)
        if (draft.isTooLong) return refuse("the answer did not end")
        if (draft.asksForTooMuch) {
          return refuse(`it asks for more than ${callLimit} calls in one answer; none was run`)
        }
        const event = eventOf(part)
        if (event === undefined) return Effect.void
        telling = true
        const told =
          part._tag === "AttemptFailed"
            ? tell(event).pipe(
                Effect.zipRight(Effect.flatMap(account.failed("failed", size), charge)),
                Effect.zipRight(Effect.mapError(account.again(part.next), (error) => new Refused({ error })))
              )
            : tell(event)
        return Effect.tap(told, () => {
          telling = false
        })
      }
    /** What was seen of an answer stays, and the next request knows of it. */
    const cut = Effect.suspend(() =>
      Effect.gen(function* () {
        const text = draft.said
        const interrupted = new ModelInterrupted({ text }, trusted)
        if (text === "") return yield* sink.emit(interrupted, iteration)
        const message = { role: "assistant", content: `${text}\n\n[The answer was interrupted here.]` } as const
        const id = yield* ids.next("message")
        const recorded = new MessageRecorded({ message: { id, message } }, trusted)
        yield* sink.emitAll([interrupted, recorded], iteration)
      })
    )
    const heard = (account: RequestAccount.RequestAccount) =>
      Effect.suspend(() => run(model.stream(request), hear(account))).pipe(
        Effect.catchTag("Refused", ({ error }) => Effect.fail(error)),
        Effect.catchAllCause((cause) =>
          endOf(cause) === "crashed" && !telling
            ? Effect.zipRight(
                Effect.logError(`Model ${model.name} crashed`, cause),
                new ModelCrashed({ model: model.name })
              )
            : Effect.failCause(cause)
        ),
        Effect.zipRight(
          Effect.suspend(() =>
            draft.finished === undefined
              ? new ModelCut({ model: model.name, reason: "the stream ended without a finish" })
              : Effect.succeed(draft.finished)
          )
        )
      )
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const account = yield* RequestAccount.open(request, profile, model, (reached) =>
          askToRaise(request.payer, sink, reached)
        )
        const asked = Effect.zipRight(
          sink.emit(begun, iteration),
          Effect.onInterrupt(heard(account), () => cut)
        )
        const finished = yield* Effect.onError(restore(asked), (cause) =>
          Effect.flatMap(account.failed(endOf(cause) === "interrupted" ? "interrupted" : "failed", draft.size), charge)
        )
        const whole = draft.answer(yield* ids.next("message"), finished)
        const answered = new ModelAnswered(
          {
            message: whole.message,
            finish: finished.reason,
            usage: finished.usage,
            durationMillis: Math.round((yield* monotonicMillis) - startedAt)
          },
          trusted
        )
        const charged = yield* account.answered(finished.usage, draft.size, whole.calls)
        yield* charge(charged)
        yield* restore(sink.emit(answered, iteration))
        return whole
      })
    )
  })
