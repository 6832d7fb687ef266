import * as Effect from "effect/Effect"
import { type ApprovalAnswer, answerOf } from "../../agent/approvalMessage.ts"
import { SessionStore } from "../../runtime/SessionStore.ts"
import type { Caller } from "../Access.ts"
import { type Failed, Forbidden } from "../ApiError.ts"
import { perform, type Refused } from "../Perform.ts"
import { maxWaiting } from "../SessionInfo.ts"
import { stored } from "../stored.ts"
import { Issued, type IssuedCall } from "./Issued.ts"
import { InvalidRequest } from "./OpenAiError.ts"
import type { CallResult } from "./Turn.ts"

/** A result of a call that is none of this client. */
export const unknownCall = (id: string, param: string) =>
  new InvalidRequest({
    message: `No call ${JSON.stringify(id.slice(0, 100))} waits for this client. Send the results of the calls of the last answer, with the token that it was given to.`,
    code: "unknown_call",
    param
  })

/** The call that a result is of: one of this token, open or over. */
const callOf = (by: string, { id, param }: CallResult) =>
  Effect.gen(function* () {
    const issued = yield* Issued
    const store = yield* SessionStore
    const known = issued.find(id)
    if (known !== undefined) return known.by === by ? known : yield* unknownCall(id, param)
    const waiting = (yield* stored(store.waiting(maxWaiting))).find(({ request }) => request.id === id)
    if (waiting === undefined) return yield* unknownCall(id, param)
    const { callId, sessionId: session } = waiting.request
    const { requests } = yield* stored(store.unfinished(session))
    const task = requests.find((one) => one.id === id)?.task
    if (task === undefined) return yield* unknownCall(id, param)
    const [queued] = yield* stored(store.ofTasks(session, { tasks: [task], tags: ["TaskQueued"], limit: 1 }))
    const event = queued?.event
    if (event?._tag !== "TaskQueued" || event.by !== by) return yield* unknownCall(id, param)
    const found: IssuedCall = { kind: "approval", session, task, by, seq: -1, callId, name: "", arguments: "" }
    return found
  })

/** A result, and what it says where its call asks for a decision. */
export interface CallAnswer {
  readonly result: CallResult
  readonly call: IssuedCall
  readonly decision?: ApprovalAnswer
}

/** The calls that results are of, and what those of approval say. */
export const answersOf = (
  { name: by, scopes }: Caller["Type"],
  results: ReadonlyArray<CallResult>
): Effect.Effect<ReadonlyArray<CallAnswer>, InvalidRequest | Forbidden | Failed, SessionStore | Issued> =>
  Effect.forEach(results, (result) =>
    Effect.gen(function* () {
      const call = yield* callOf(by, result)
      if (call.kind === "client") return { result, call }
      if (!scopes.includes("approve")) {
        return yield* new Forbidden({ message: "An approval needs a token with the scope approve." })
      }
      const decision = answerOf(result.content)
      if (decision === undefined) {
        return yield* new InvalidRequest({
          message:
            'The result of an approval is JSON: {"decision": "approve" or "deny", "digest": that of the call}, with "scope" and "reason" if wanted. Nothing was decided.',
          code: "invalid_approval",
          param: result.param
        })
      }
      return { result, call, decision }
    })
  )

/** A digest that is not that of its open request, before anything is decided. */
export const unlessMismatched = (answers: ReadonlyArray<CallAnswer>) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const waiting = yield* stored(store.waiting(maxWaiting))
    for (const { decision, result } of answers) {
      const request = waiting.find(({ request }) => request.id === result.id)?.request
      if (decision === undefined || request === undefined || request.digest === decision.digest) continue
      return yield* new InvalidRequest({
        message: `The digest is not that of ${result.id}. Nothing was decided; show the person the call again.`,
        code: "digest_mismatch",
        param: result.param
      })
    }
  })

/** Gives the results to the calls that wait for them; one that waits no longer, or is answered already, has no effect. */
export const deliver = (by: string, answers: ReadonlyArray<CallAnswer>) =>
  Effect.forEach(
    answers,
    ({ call: { session }, decision, result: { content, id, param } }) =>
      Effect.gen(function* () {
        const issued = yield* Issued
        if (decision === undefined) {
          const given = { _tag: "AnswerClientCall" as const, session, by, requestId: id, result: content }
          yield* Effect.catchAll(perform(given), (error): Effect.Effect<void, Refused> =>
            error._tag === "Rejected" && error.error === "ClientCallNotPending" ? Effect.void : Effect.fail(error)
          )
        } else {
          const given = { _tag: "DecideApproval" as const, session, by, approvalId: id, ...decision }
          yield* Effect.catchAll(perform(given), (error): Effect.Effect<void, Refused | InvalidRequest> => {
            if (error._tag === "Gone") return Effect.void
            return error._tag === "Conflict" && error.error === "ApprovalMismatch"
              ? new InvalidRequest({ message: error.message, code: "approval_mismatch", param })
              : Effect.fail(error)
          })
        }
        issued.ended(id)
      }),
    { discard: true }
  )
