import * as Effect from "effect/Effect"
import {
  type AnsweredAlready,
  AnswerBox,
  type AnswerBoxFailed,
  type AnswerBoxShape,
  type AnswerOutcome,
  type SentAnswer
} from "../approval/AnswerBox.ts"
import type { DatabaseError } from "../database/DatabaseError.ts"
import { pause } from "../process/RealClock.ts"
import { SessionStore } from "../runtime/SessionStore.ts"

/** How often to look for what came of an answer, and how often before it is left in the box. */
const glance = "100 millis"
const glances = 30

/** What came of an answer: the process that asked has looked at it, the request has ended meanwhile, or nobody is there. */
export type Sent = AnswerOutcome | "over" | "left"

const awaited = (
  answer: Pick<SentAnswer, "approvalId" | "sessionId">,
  box: AnswerBoxShape,
  left = glances
): Effect.Effect<Sent, AnswerBoxFailed | DatabaseError, SessionStore> =>
  Effect.gen(function* () {
    const { approvalId, sessionId } = answer
    const { requests } = yield* (yield* SessionStore).unfinished(sessionId)
    const boxed = yield* box.get(approvalId)
    if (boxed?.outcome !== undefined) return boxed.outcome
    if (!requests.some(({ id }) => id === approvalId)) return "over"
    if (left === 0) return "left"
    yield* pause(glance)
    return yield* awaited(answer, box, left - 1)
  })

/** Answers a request of another process, and waits for what that makes of it; the first answer to a request counts. */
export const answerElsewhere = (
  answer: SentAnswer
): Effect.Effect<Sent, AnsweredAlready | AnswerBoxFailed | DatabaseError, SessionStore> =>
  Effect.gen(function* () {
    const { box } = yield* AnswerBox
    if (box === undefined) return "left"
    yield* box.put(answer)
    return yield* awaited(answer, box)
  })
