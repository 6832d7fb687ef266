import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Meter } from "../agent/Meter.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import { isCallEnd } from "../gate/CallEvent.ts"
import { callKey } from "../tool/CallPlace.ts"
import { isRoot, isSame, isWithin } from "../tool/WorkerPath.ts"
import type { Envelope } from "./Envelope.ts"
import { isTerminal } from "./Event.ts"
import {
  type Lease,
  type OpenOptions,
  SessionBusy,
  SessionFenced,
  SessionNotFound,
  SessionStore,
  type SessionSummary,
  type UnfinishedCall
} from "./SessionStore.ts"

interface Kept {
  summary: SessionSummary
  epoch: number
  held: boolean
  readonly events: Array<Envelope>
}

const messageOf = ({ event }: Envelope): StoredMessage | undefined =>
  "message" in event && typeof event.message === "object" ? event.message : undefined

/** Sessions in memory, gone with the layer; for tests and for runs that must leave no trace. */
export const layer: Layer.Layer<SessionStore> = Layer.sync(SessionStore, () => {
  const sessions = new Map<string, Kept>()
  const find = (session: string): Effect.Effect<Kept, SessionNotFound> =>
    Effect.suspend(() => {
      const kept = sessions.get(session)
      return kept === undefined ? new SessionNotFound({ session }) : Effect.succeed(kept)
    })
  const events = (session: string): ReadonlyArray<Envelope> => sessions.get(session)?.events ?? []

  const take = ({ create, session }: OpenOptions): Effect.Effect<Lease, SessionNotFound | SessionBusy> =>
    Effect.suspend(() => {
      if (!sessions.has(session) && create !== undefined) {
        const { profile, project, time } = create
        const summary = { id: session, project, profile, title: "", createdAt: time, updatedAt: time } as const
        sessions.set(session, { summary: { ...summary, status: "open", head: 0 }, epoch: 0, held: false, events: [] })
      }
      return Effect.flatMap(find(session), (kept) => {
        if (kept.held) return new SessionBusy({ session, pid: process.pid })
        kept.held = true
        kept.epoch += 1
        const { head, profile, project } = kept.summary
        return Effect.succeed({ session, epoch: kept.epoch, head, created: head === 0, project, profile })
      })
    })
  const release = ({ epoch, session }: Lease) =>
    Effect.sync(() => {
      const kept = sessions.get(session)
      if (kept?.epoch === epoch) kept.held = false
    })

  return SessionStore.of({
    open: (options) => Effect.acquireRelease(take(options), release),
    append: (lease, batch) =>
      Effect.suspend(() => {
        const kept = sessions.get(lease.session)
        if (kept === undefined || kept.epoch !== lease.epoch) {
          return new SessionFenced({ session: lease.session, epoch: lease.epoch })
        }
        for (const envelope of batch) {
          kept.events.push(envelope)
          kept.summary = summarise(kept.summary, envelope)
        }
        return Effect.void
      }),
    read: (session, from, limit) => Effect.sync(() => events(session).slice(from - 1, from - 1 + limit)),
    ofTasks: (session, { iterations, tags, tasks, within }) =>
      Effect.sync(() =>
        events(session).filter(
          ({ event, iteration, task = "", worker = [] }) =>
            tasks.includes(task) &&
            tags.includes(event._tag) &&
            (iterations === undefined || (iteration !== undefined && iterations.includes(iteration))) &&
            (within === undefined || isWithin(worker, within))
        )
      ),
    used: (session, task, path) =>
      Effect.sync(() => {
        const meter = new Meter()
        for (const { event, task: of, worker = [] } of events(session)) {
          if (of === task && event._tag === "ModelAnswered" && isWithin(worker, path)) meter.add(event.usage)
        }
        return meter.usage
      }),
    get: (session) => Effect.map(find(session), (kept) => kept.summary),
    list: ({ beginning = "", limit, project }) =>
      Effect.sync(() =>
        [...sessions.values()]
          .map((kept) => kept.summary)
          .filter(({ id, project: of }) => id.startsWith(beginning) && (project === undefined || of === project))
          .toSorted((a, b) => b.updatedAt - a.updatedAt)
          .slice(0, limit)
      ),
    messages: (session, limit) =>
      Effect.sync(() => {
        const all = events(session)
        const cleared = all.findLastIndex(({ event }) => event._tag === "SessionCleared") + 1
        const compacted = all.findLastIndex(({ event }) => event._tag === "SessionCompacted")
        return all
          .slice(Math.max(cleared, compacted, 0))
          .filter(({ worker }) => worker === undefined || isRoot(worker))
          .flatMap((envelope) => messageOf(envelope) ?? [])
          .slice(-limit)
      }),
    workerMessages: (session, { limit, task, worker: path }) =>
      Effect.sync(() =>
        events(session)
          .filter(({ task: of, worker = [] }) => of === task && isSame(worker, path))
          .flatMap((envelope) => messageOf(envelope) ?? [])
          .slice(-limit)
      ),
    unfinished: (session) =>
      Effect.sync(() => {
        const tasks = new Set<string>()
        const calls = new Map<string, UnfinishedCall>()
        for (const envelope of events(session)) {
          const { event, iteration = 0, task = "", worker = [] } = envelope
          if (event._tag === "TaskQueued") tasks.add(task)
          else if (isTerminal(event)) tasks.delete(task)
          else if (event._tag === "ModelAnswered" && event.message.message.role === "assistant") {
            for (const call of event.message.message.tool_calls ?? []) {
              const { function: asked, id: callId } = call
              const open = { task, iteration, worker, callId, tool: asked.name, mayHaveHappened: false, byUser: false }
              calls.set(callKey(envelope, callId), open)
            }
          } else if (event._tag === "ToolCallRequested") {
            const { callId, tool } = event
            const place = callKey(envelope, callId)
            const open = { task, iteration, worker, callId, tool, mayHaveHappened: false, byUser: true }
            if (!calls.has(place)) calls.set(place, open)
          } else if (event._tag === "ToolCallStarted" && !event.readOnly) {
            const open = calls.get(callKey(envelope, event.callId))
            if (open !== undefined) calls.set(callKey(envelope, event.callId), { ...open, mayHaveHappened: true })
          } else if (isCallEnd(event)) {
            calls.delete(callKey(envelope, event.callId))
          }
        }
        return { tasks: [...tasks], calls: [...calls.values()] }
      }),
    waiting: (limit) =>
      Effect.sync(() =>
        [...sessions.values()]
          .flatMap(({ events, summary: { project } }) => {
            const open = new Map<
              string,
              { readonly time: number; readonly task: string; readonly request: ApprovalRequest }
            >()
            for (const { event, task = "", time } of events) {
              if (event._tag === "ApprovalRequested") open.set(event.request.id, { time, task, request: event.request })
              else if (event._tag === "ApprovalResolved") open.delete(event.approvalId)
              else if (isTerminal(event)) for (const [id, one] of open) if (one.task === task) open.delete(id)
            }
            return [...open.values()].map(({ request, time }) => ({ project, request, time }))
          })
          .toSorted((a, b) => a.time - b.time)
          .slice(0, limit)
          .map(({ project, request }) => ({ project, request }))
      ),
    answer: (session, commandId) =>
      Effect.sync(() =>
        Option.fromNullable(events(session).find(({ event }) => "commandId" in event && event.commandId === commandId))
      ),
    hasTask: (session, task) =>
      Effect.sync(() =>
        events(session).some((envelope) => envelope.event._tag === "TaskQueued" && envelope.task === task)
      )
  })
})

const summarise = (summary: SessionSummary, { event, seq, time }: Envelope): SessionSummary => ({
  ...summary,
  head: seq,
  updatedAt: time,
  ...(event._tag === "TaskQueued" && summary.title === "" ? { title: event.prompt.slice(0, 80) } : {}),
  ...(event._tag === "ModelSwitched" ? { profile: event.profile } : {}),
  ...(event._tag === "SessionEnded" ? { status: "ended" as const } : {}),
  ...(event._tag === "SessionResumed" ? { status: "open" as const } : {})
})
