import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Host } from "../../host/Host.ts"
import type { Models } from "../../model/Models.ts"
import type { Runtime } from "../../runtime/Runtime.ts"
import { SessionStore } from "../../runtime/SessionStore.ts"
import { Ids } from "../../tool/Ids.ts"
import { Caller } from "../Access.ts"
import { Forbidden } from "../ApiError.ts"
import { perform, type Refused } from "../Perform.ts"
import { stored } from "../stored.ts"
import { answersOf, deliver, unknownCall, unlessMismatched } from "./CallAnswers.ts"
import * as Conversation from "./Conversation.ts"
import { follow } from "./follow.ts"
import { Issued } from "./Issued.ts"
import { InvalidRequest } from "./OpenAiError.ts"
import type { Said } from "./Said.ts"
import type { Turn } from "./Turn.ts"

/** An answer that has begun. */
export interface Exchange {
  readonly session: string
  /** The profile of the session. */
  readonly model: string
  /** The number of its first event. */
  readonly seq: number
  readonly said: Stream.Stream<Said>
}

export type Services = Host | Models | Runtime | SessionStore | Issued
export type ExchangeError = Refused | InvalidRequest | Forbidden

/** Calls that wait for the client while it sends a prompt, which would wait behind them unseen. */
const unlessWaiting = (session: string) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const issued = yield* Issued
    const { calls, requests } = yield* stored(store.unfinished(session))
    const open = new Set(calls.map(({ callId }) => callId))
    const own = issued.waiting(session).filter(([, call]) => call.kind === "client" && open.has(call.callId))
    const ids = [...requests.map(({ id }) => id), ...own.map(([id]) => id)]
    if (ids.length === 0) return
    return yield* new InvalidRequest({
      message: `The session waits for the results of ${ids.join(", ")}. Send these first.`,
      code: "call_pending",
      param: "messages"
    })
  })

/** An earlier answer that another one has followed cannot be gone on from. */
const unlessSuperseded = ({ seq, session }: NonNullable<Turn["previous"]>) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const { head } = yield* stored(
      Effect.catchTag(store.get(session), "SessionNotFound", () => Effect.succeed({ head: 0 }))
    )
    const page = 1000
    let from = seq + 1
    let isLast = seq <= head && head - seq <= 20 * page
    while (isLast && from <= head) {
      const events = yield* stored(store.read(session, from, page))
      isLast = events.length > 0 && !events.some(({ event }) => event._tag === "TaskQueued")
      from += page
    }
    if (isLast) return
    return yield* new InvalidRequest({
      message: "The conversation has gone on since that response, or is not known. Go on from its last response.",
      code: "previous_response_not_found",
      param: "previous_response_id"
    })
  })

/** Carries out what a client asks for; the answer goes on until the scope of its stream ends. */
export const begin = (turn: Turn): Effect.Effect<Exchange, ExchangeError, Services | Caller> =>
  Effect.gen(function* () {
    const caller = yield* Caller
    const { name: by } = caller
    if (turn.approver !== undefined && !caller.scopes.includes("approve")) {
      return yield* new Forbidden({ message: "A client that approves needs a token with the scope approve." })
    }
    const store = yield* SessionStore
    const answers = yield* answersOf(caller, turn.results)
    const [first] = answers
    const other = answers.find(({ call }) => call.session !== first?.call.session || call.task !== first.call.task)
    const elsewhere = turn.session !== undefined && first !== undefined && first.call.session !== turn.session
    if (other !== undefined || elsewhere) {
      const { id, param } = (other ?? first)?.result ?? { id: "", param: "messages" }
      return yield* unknownCall(id, param)
    }
    yield* unlessMismatched(answers)
    if (turn.previous !== undefined) yield* unlessSuperseded(turn.previous)
    const found = first?.call.session ?? turn.previous?.session
    const conversation = yield* Conversation.open(by, turn, found)
    const { session } = conversation
    if (answers.length === 0) yield* unlessWaiting(session)
    yield* perform({ _tag: "DeclareClientTools", session, by, tools: [], functions: turn.functions }).pipe(
      Effect.catchTag("Rejected", ({ message }) =>
        Effect.fail(new InvalidRequest({ message, code: "invalid_function", param: "tools" }))
      )
    )
    const head = yield* Effect.map(
      stored(Effect.catchTag(store.get(session), "SessionNotFound", () => Effect.succeed({ head: 0 }))),
      ({ head }) => head
    )
    const seq = first === undefined || first.call.seq < 0 ? head : Math.min(...answers.map(({ call }) => call.seq))
    yield* deliver(by, answers)
    const tasks = first === undefined ? [] : [first.call.task]
    let from = seq + 1
    if (turn.prompt !== undefined) {
      const task = yield* (yield* Ids).next("task")
      const prompt = Conversation.promptOf(conversation, turn, turn.prompt)
      const shown = turn.images.length === 0 ? {} : { images: turn.images }
      const queued = yield* perform({ _tag: "SubmitPrompt", session, by, task, prompt, ...shown })
      tasks.push(task)
      if (first === undefined) from = queued.seq
    }
    const answered = new Set(answers.map(({ result }) => result.id))
    const context = yield* Effect.context<Services>()
    const said = Stream.unwrapScoped(follow({ by, session, turn, tasks, from, answered }))
    return { session, model: conversation.profile, seq: from, said: Stream.provideContext(said, context) }
  })
