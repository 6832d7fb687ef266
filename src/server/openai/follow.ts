import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Mailbox from "effect/Mailbox"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { approvalMessage } from "../../agent/approvalMessage.ts"
import type { DatabaseError } from "../../database/DatabaseError.ts"
import { Runtime } from "../../runtime/Runtime.ts"
import { interruption } from "../../runtime/SessionHandle.ts"
import { SessionStore } from "../../runtime/SessionStore.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import { ApprovalRequested, trusted } from "../../tool/ToolEvent.ts"
import { perform } from "../Perform.ts"
import { maxWaiting } from "../SessionInfo.ts"
import { sessionEvents } from "../SessionStream.ts"
import { stored } from "../stored.ts"
import { Issued, type IssuedCall } from "./Issued.ts"
import type { Said, WantedCall } from "./Said.ts"
import { Teller } from "./Teller.ts"
import type { Turn } from "./Turn.ts"

/** How long more calls of one answer may take to come together before a client is asked to make them. */
const gather = "1 second"

/** What a client that reads nothing leaves lying here; the rest waits in the log. */
const unread = 16

const refusal = "The client cannot approve: it has not declared the function client.requestApproval."

interface Followed {
  readonly by: string
  readonly session: string
  readonly turn: Turn
  readonly tasks: ReadonlyArray<string>
  readonly from: number
  readonly answered: ReadonlySet<string>
}

const failureOf = (end: NonNullable<Teller["end"]>): Said | undefined => {
  switch (end._tag) {
    case "TaskCompleted":
      return undefined
    case "TaskFailed":
      return { _tag: "Failed", code: `task_${end.kind}`, message: end.message }
    case "TaskInterrupted":
      return { _tag: "Failed", code: "task_interrupted", message: interruption(end) }
  }
}

/** The call by which a client is asked for a decision. */
const approvalCall = (request: ApprovalRequest, name: string): WantedCall => {
  const message = approvalMessage(new ApprovalRequested({ request, ahead: 0 }, trusted))?.message.message
  const [call] = message?.role === "assistant" ? (message.tool_calls ?? []) : []
  return { id: request.id, name, arguments: call?.function.arguments ?? "{}", request }
}

/** What happens from an event on, until the client is needed or the last task has ended. */
export const follow = ({
  answered,
  by,
  from,
  session,
  tasks,
  turn
}: Followed): Effect.Effect<Stream.Stream<Said>, never, Runtime | SessionStore | Issued | Scope.Scope> =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const store = yield* SessionStore
    const issued = yield* Issued
    const { approver } = turn
    const own = new Set(turn.functions.map(({ name }) => name))
    const teller = new Teller({ tasks, answered, showsCalls: turn.showsCalls }, own)
    teller.seq = from - 1
    const box = yield* Mailbox.make<Said>(unread)
    const ending = Effect.unsafeMakeSemaphore(1)
    let over = false

    const finish = (said: Said) =>
      Effect.suspend(() => {
        over = true
        return Effect.zipRight(box.offer(said), box.end)
      })

    const cancel = Effect.forEach(tasks, (task) => runtime.send({ _tag: "CancelTask", session, task, by }), {
      discard: true
    }).pipe(Effect.ignore)

    /** Tells the client that what it is to be asked cannot be read, and waits for nothing of it. */
    const orTold = <R>(reading: Effect.Effect<void, DatabaseError, R>) =>
      Effect.catchAll(stored(reading), ({ message }) =>
        Effect.zipRight(cancel, finish({ _tag: "Failed", code: "store_failed", message }))
      )

    /** What of it still waits, by the store: an event may be of a call that has ended since. */
    const asked = Effect.gen(function* () {
      const { calls, requests } = yield* store.unfinished(session)
      const open = new Set(requests.map(({ id }) => id))
      const unfinished = new Set(calls.map(({ callId }) => callId))
      const wanted: Array<WantedCall> = []
      const issue = (call: WantedCall, of: Pick<IssuedCall, "kind" | "task" | "callId">) => {
        const { arguments: text, id, name } = call
        wanted.push(call)
        issued.add(id, { ...of, session, by, seq: teller.seq, name, arguments: text })
      }
      for (const [id, { request, task }] of teller.approvals) {
        if (open.has(id)) {
          const name = approver?.kind === "function" ? approver.name : request.tool
          issue(approvalCall(request, name), { kind: "approval", task, callId: request.callId })
        } else teller.approvals.delete(id)
      }
      for (const [id, { arguments: text, callId, name, task }] of teller.calls) {
        if (unfinished.has(callId)) issue({ id, name, arguments: text }, { kind: "client", task, callId })
        else teller.calls.delete(id)
      }
      return wanted
    })

    const ask = ending.withPermits(1)(
      Effect.suspend(() =>
        over
          ? Effect.void
          : orTold(
              Effect.flatMap(asked, (calls) =>
                calls.length === 0 ? Effect.void : finish({ _tag: "Calls", calls, usage: teller.usage })
              )
            )
      )
    )

    /** Nobody is there who could decide. */
    const deny = ({ digest, id: approvalId }: ApprovalRequest) =>
      perform({
        _tag: "DecideApproval",
        session,
        by,
        approvalId,
        digest,
        decision: "deny",
        reason: refusal,
        frontend: "openai"
      }).pipe(Effect.ignoreLogged)

    const scope = yield* Effect.scope
    const step = (envelope: Parameters<Teller["note"]>[0]) =>
      Effect.gen(function* () {
        const text = teller.note(envelope)
        if (text !== "") yield* box.offer({ _tag: "Text", text })
        if (teller.end !== undefined) {
          return yield* finish(failureOf(teller.end) ?? { _tag: "Ended", finish: teller.finish, usage: teller.usage })
        }
        const { event } = envelope
        if (event._tag === "ApprovalRequested" && approver === undefined && teller.approvals.delete(event.request.id)) {
          yield* deny(event.request)
        }
        if (teller.isComplete) yield* ask
        else if (event._tag === "ClientCallRequested") yield* Effect.forkIn(Effect.delay(ask, gather), scope)
      })

    yield* Effect.addFinalizer(() =>
      over || (approver !== undefined && teller.approvals.size > 0) ? Effect.void : cancel
    )

    /** What was asked for before and is open still. */
    const earlier = Effect.gen(function* () {
      const { requests } = yield* store.unfinished(session)
      for (const { request } of yield* store.waiting(maxWaiting)) {
        const own = requests.find(({ id, seq, task }) => id === request.id && tasks.includes(task) && seq < from)
        if (own !== undefined && !answered.has(request.id))
          teller.approvals.set(request.id, { task: own.task, request })
      }
      for (const task of tasks) {
        for (const [id, call] of issued.waiting(session, task)) {
          if (call.kind === "client" && !answered.has(id)) teller.calls.set(id, call)
        }
      }
      if (approver === undefined) {
        const left = Array.from(teller.approvals.values(), ({ request }) => request)
        teller.approvals.clear()
        yield* Effect.forEach(left, deny, { discard: true })
      }
      if (teller.approvals.size + teller.calls.size > 0) yield* ask
    })
    const closed: Said = {
      _tag: "Failed",
      code: "session_closed",
      message: "The session was closed before the answer was complete. Send the message again."
    }
    yield* Effect.zipRight(
      orTold(earlier),
      Stream.runForEachWhile(sessionEvents(session, from), (envelope) =>
        Effect.suspend(() => (over ? Effect.succeed(false) : Effect.map(step(envelope), () => !over)))
      )
    ).pipe(
      // One that is interrupted has lost its client, and is not over.
      Effect.onExit((exit) => (over || Exit.isInterrupted(exit) ? Effect.void : finish(closed))),
      Effect.forkScoped
    )
    return Mailbox.toStream(box)
  })
