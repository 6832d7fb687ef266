import * as Effect from "effect/Effect"
import type { CostError } from "../cost/CostError.ts"
import type { CostEvent } from "../cost/CostEvent.ts"
import type { Payer } from "../cost/Payer.ts"
import { endOf } from "../middleware/endOf.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import { ask } from "../model/ask.ts"
import type { ModelRequest, ModelService } from "../model/Model.ts"
import { type ModelError, ModelMalformed } from "../model/ModelError.ts"
import type { ModelPart } from "../model/ModelPart.ts"
import { Refused, type Tell } from "../model/Push.ts"
import { plainId } from "../redaction/plainId.ts"
import { Redactor, type RedactorShape } from "../redaction/Redactor.ts"
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
import { type Answer, bounded, Draft } from "./Draft.ts"
import * as RequestAccount from "./RequestAccount.ts"
import type { WorkerSink } from "./WorkerSink.ts"

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

/** Ids of an answer that are looked at once. */
const maxKnown = 1024

/** The parts of one answer, whose calls have ids that may be stored. */
const withPlainIds = (redactor: RedactorShape): ((part: ModelPart) => ModelPart) => {
  const known = new Map<string, string>()
  const plain = (id: string): string => {
    const found = known.get(id) ?? plainId(redactor, id)
    if (known.size < maxKnown) known.set(id, found)
    return found
  }
  return (part) =>
    part._tag === "ArgumentsDelta" || part._tag === "FunctionCalled" ? { ...part, id: plain(part.id) } : part
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
    const plain = withPlainIds(yield* Redactor)
    const startedAt = yield* monotonicMillis
    const begun = new ModelRequested(
      { profile, model: model.name, messages: request.messages.length, functions: request.functions.length },
      trusted
    )
    const draft = new Draft()
    const refuse = (reason: string) => new Refused({ error: new ModelMalformed({ model: model.name, reason }) })
    const tell = (event: NonNullable<ReturnType<typeof eventOf>>) => sink.emit(event, iteration)
    const charge = (events: ReadonlyArray<CostEvent>) =>
      events.length === 0 ? Effect.void : sink.emitAll(events, iteration)
    const hear =
      (account: RequestAccount.RequestAccount): Tell =>
      (given) => {
        const part = plain(given)
        const { size } = draft
        const fault = draft.add(part)
        if (fault !== undefined) return refuse(fault)
        const event = eventOf(part)
        if (event === undefined) return Effect.void
        return part._tag === "AttemptFailed"
          ? tell(event).pipe(
              Effect.zipRight(Effect.flatMap(account.failed("failed", size), charge)),
              Effect.zipRight(Effect.mapError(account.again(part.next), (error) => new Refused({ error })))
            )
          : tell(event)
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
      Effect.catchTag(ask(model, request, hear(account)), "Refused", ({ error }) => Effect.fail(error))
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const account = yield* RequestAccount.open(request, profile, model, (reached) =>
          askToRaise(request.payer, sink, reached)
        )
        const asked = Effect.zipRight(
          sink.emit(begun, iteration),
          Effect.onInterrupt(heard(account), () => cut)
        )
        const told = yield* Effect.onError(restore(asked), (cause) =>
          Effect.flatMap(account.failed(endOf(cause) === "interrupted" ? "interrupted" : "failed", draft.size), charge)
        )
        const whole = draft.answer(yield* ids.next("message"), told)
        const { finished } = whole
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
