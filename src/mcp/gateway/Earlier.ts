import * as Effect from "effect/Effect"
import { sha256 } from "../../approval/Digest.ts"
import type { DatabaseError } from "../../database/DatabaseError.ts"
import { maxSender } from "../../runtime/Command.ts"
import { isTerminal } from "../../runtime/Event.ts"
import type { SessionStore } from "../../runtime/SessionStore.ts"
import { parseJson } from "../../text/Json.ts"
import * as Either from "effect/Either"
import { type CallResult, textResult } from "../ServerResult.ts"

/** What tells one call from another in the log. */
export interface Logged {
  readonly project: string
  /** Who made it: nobody else may take it up. */
  readonly by: string
  readonly tool: string
  readonly parameters: unknown
}

/** Where a call is in the log. */
export interface EarlierCall {
  readonly session: string
  readonly task: string
}

const maxWaiting = 1000

/** Sessions that were used last, among which those of a gateway that was killed are. */
const latest = 32

const keyOf = ({ by, parameters, project, tool }: Logged): string =>
  sha256([project, by.slice(0, maxSender), tool, parameters])

/** The calls of gateways that are gone which wait for a decision, or were cut off with an unknown outcome, by what they are. */
const unended = (store: SessionStore["Type"], beginning: string) =>
  Effect.gen(function* () {
    const waiting = yield* store.list({ beginning, waiting: true, limit: maxWaiting })
    const sessions = new Map(
      [...waiting, ...(yield* store.list({ beginning, limit: latest }))].map(({ id, project }) => [id, project])
    )
    const found = new Map<string, EarlierCall>()
    for (const [session, project] of sessions) {
      const { calls, tasks } = yield* store.unfinished(session)
      if (tasks.length === 0) continue
      const tags = ["TaskQueued", "ToolCallRequested", "ApprovalRequested"] as const
      const senders = new Map<string, string>()
      for (const { event, task = "" } of yield* store.ofTasks(session, { tasks, tags })) {
        const by = senders.get(task) ?? ""
        const keep = (tool: string, parameters: unknown) =>
          found.set(keyOf({ project, by, tool, parameters }), { session, task })
        if (event._tag === "TaskQueued") senders.set(task, event.by ?? "")
        else if (event._tag === "ApprovalRequested") {
          if (event.request.masked === undefined) keep(event.request.tool, event.request.arguments)
        } else if (event._tag === "ToolCallRequested") {
          const { callId, tool } = event
          const isCutOff = calls.some((call) => call.callId === callId && call.task === task && call.mayHaveHappened)
          const given = parseJson(event.arguments)
          if (isCutOff && Either.isRight(given)) keep(tool, given.right)
        }
      }
    }
    return found
  })

/** Finds calls of gateways that are gone, each once; the log is looked at with the first one. */
export const make = (store: SessionStore["Type"], beginning: string) =>
  Effect.map(
    Effect.cached(Effect.orElseSucceed(unended(store, beginning), () => new Map<string, EarlierCall>())),
    (left) => (call: Logged) =>
      Effect.map(left, (found) => {
        if (found.size === 0) return undefined
        const key = keyOf(call)
        const one = found.get(key)
        found.delete(key)
        return one
      })
  )

const ends = [
  "ToolCallStarted",
  "ToolCallCompleted",
  "ToolCallInterrupted",
  "ToolCallOutcomeUnknown",
  "TaskCompleted",
  "TaskFailed",
  "TaskInterrupted"
] as const

/** What a client gets of a call by its log; nothing where it has not ended, or ended before it began. */
export const resultOf = (
  store: SessionStore["Type"],
  { session, task }: EarlierCall
): Effect.Effect<CallResult | undefined, DatabaseError> =>
  Effect.map(store.ofTasks(session, { tasks: [task], tags: ends }), (envelopes) => {
    const events = envelopes.map(({ event }) => event)
    const end = events.findLast(isTerminal)
    if (end === undefined) return undefined
    if (end._tag === "TaskCompleted") {
      const hasFailed = events.some((event) => event._tag === "ToolCallCompleted" && event.failed !== undefined)
      return textResult(end.text, hasFailed)
    }
    const cut = events.find(({ _tag }) => _tag === "ToolCallInterrupted" || _tag === "ToolCallOutcomeUnknown")
    if (cut === undefined) return end._tag === "TaskFailed" ? textResult(end.message, true) : undefined
    const hasBegun = events.some((event) => event._tag === "ToolCallStarted" && !event.readOnly)
    return "tool" in cut && hasBegun
      ? textResult(
          `${cut.tool}: outcome unknown (Tollgate stopped while it was running). It is not repeated; find out what was done before you call it again.`,
          true
        )
      : undefined
  })
