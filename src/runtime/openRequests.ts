import * as Effect from "effect/Effect"
import { AnswerBox, type AnswerBoxFailed, type SentAnswer } from "../approval/AnswerBox.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { SessionStore, type WaitingApproval } from "./SessionStore.ts"

/** An open request, and the answer that lies ready for its session where somebody has given one. */
export interface OpenRequest extends WaitingApproval {
  readonly answered?: Pick<SentAnswer, "decision" | "by">
}

/** The requests that are open, at most `limit`; one that was refused its answer waits for another. */
export const openRequests = (
  limit: number
): Effect.Effect<ReadonlyArray<OpenRequest>, DatabaseError | AnswerBoxFailed, SessionStore> =>
  Effect.gen(function* () {
    const { box } = yield* AnswerBox
    const waiting = yield* (yield* SessionStore).waiting(limit)
    if (box === undefined || waiting.length === 0) return waiting
    const boxed = yield* box.find(waiting.map(({ request }) => request.id))
    return waiting.map((one): OpenRequest => {
      const found = boxed.get(one.request.id)
      if (found === undefined || found.outcome?.taken === false) return one
      const { by, decision } = found.answer
      return { ...one, answered: { decision, by } }
    })
  })
