import * as Effect from "effect/Effect"
import { AnswerBox, type AnswerBoxFailed, type SentAnswer } from "../approval/AnswerBox.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { SessionStore, type WaitingApproval } from "./SessionStore.ts"

/** An open request, and the answer that lies ready for its session where somebody has given one. */
export interface OpenRequest extends WaitingApproval {
  readonly answered?: Pick<SentAnswer, "decision" | "by">
}

/** The answers that lie ready for some open requests, by their ids; one that was refused is none. */
export const readyAnswers = (
  approvalIds: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<string, SentAnswer>, AnswerBoxFailed> =>
  Effect.gen(function* () {
    const { box } = yield* AnswerBox
    if (box === undefined || approvalIds.length === 0) return new Map()
    const boxed = yield* box.find(approvalIds)
    return new Map(
      [...boxed].flatMap(([id, { answer, outcome }]) => (outcome?.taken === false ? [] : [[id, answer] as const]))
    )
  })

/** The requests that are open, at most `limit`; one that was refused its answer waits for another. */
export const openRequests = (
  limit: number
): Effect.Effect<ReadonlyArray<OpenRequest>, DatabaseError | AnswerBoxFailed, SessionStore> =>
  Effect.gen(function* () {
    const waiting = yield* (yield* SessionStore).waiting(limit)
    const ready = yield* readyAnswers(waiting.map(({ request }) => request.id))
    return waiting.map((one): OpenRequest => {
      const answer = ready.get(one.request.id)
      return answer === undefined ? one : { ...one, answered: { decision: answer.decision, by: answer.by } }
    })
  })
