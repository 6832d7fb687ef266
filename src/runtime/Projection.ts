import * as Schema from "effect/Schema"
import type { Change } from "../conversation/Change.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import { isSameCall } from "../tool/CallPlace.ts"
import { isRoot } from "../tool/WorkerPath.ts"
import type { Envelope } from "./Envelope.ts"
import type { Event, EventTag } from "./Event.ts"

/** A call without a result. */
export const UnfinishedCall = Schema.Struct({
  task: Schema.String,
  iteration: Schema.Number,
  worker: Schema.Array(Schema.String),
  callId: Schema.String,
  tool: Schema.String,
  /** Whether its handler may have run and changed something. */
  mayHaveHappened: Schema.Boolean,
  /** Whether a person asked for it, instead of the model. */
  byUser: Schema.Boolean
})
export type UnfinishedCall = typeof UnfinishedCall.Type

/** What of a session's log is open, and where the model's view of it begins; as small as what is open. */
export const Open = Schema.Struct({
  /** The number of the first event whose message the model may see. */
  visibleFrom: Schema.Number,
  tasks: Schema.Array(Schema.String),
  calls: Schema.Array(UnfinishedCall),
  /** Open approval requests of running tasks: the numbers and times of their events. */
  requests: Schema.Array(
    Schema.Struct({ id: Schema.String, task: Schema.String, seq: Schema.Number, time: Schema.Number })
  )
})
export type Open = typeof Open.Type

export interface SessionSummary {
  readonly id: string
  readonly project: string
  readonly profile: string
  /** The beginning of the first prompt, or of the title that was given or imported. */
  readonly title: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly status: "open" | "ended"
  /** The number of its last event. */
  readonly head: number
}

/** The state of a session folded from its log; a store keeps it beside the events. */
export interface Projection {
  readonly summary: SessionSummary
  readonly open: Open
}

/** Of a session without events. */
export const empty = (session: string, of: Pick<SessionSummary, "project" | "profile">, time: number): Projection => ({
  summary: { id: session, ...of, title: "", createdAt: time, updatedAt: time, status: "open", head: 0 },
  open: { visibleFrom: 1, tasks: [], calls: [], requests: [] }
})

/** The projection after one more event. */
export const step = ({ open, summary }: Projection, envelope: Envelope): Projection => ({
  summary: summarise(summary, envelope),
  open: track(open, envelope)
})

const maxTitle = 80

/** How what a prompt includes of a file begins, behind all that is said in it. */
export const included = "\n\n<context ref="

/** The title that a session is listed by: the beginning of what was said. */
export const titleOf = (text: string, length = maxTitle): string =>
  Array.from((text.slice(0, 2 * length + included.length).split(included, 1)[0] ?? "").slice(0, 2 * length))
    .slice(0, length)
    .join("")

const copied = / \(fork(?: (\d{1,6}))?\)$/

/** The title of a copy, which none of the others has. */
export const copyTitle = (title: string, others: ReadonlyArray<string>): string => {
  const base = title.replace(copied, "")
  const numbers = others.flatMap((other) =>
    other.replace(copied, "") === base && copied.test(other) ? [Number(copied.exec(other)?.[1] ?? 1)] : []
  )
  const number = Math.max(0, ...numbers) + 1
  const mark = number === 1 ? " (fork)" : ` (fork ${number})`
  return `${titleOf(base, maxTitle - mark.length)}${mark}`
}

const summarise = (summary: SessionSummary, { event, seq, time }: Envelope): SessionSummary => {
  const moved = { ...summary, head: seq, updatedAt: time }
  switch (event._tag) {
    case "TaskQueued":
      return summary.title === "" ? { ...moved, title: titleOf(event.prompt) } : moved
    case "SessionImported":
    case "SessionRenamed":
      // Nothing was said in it: it does not become the latest session.
      return { ...moved, title: titleOf(event.title), updatedAt: summary.updatedAt }
    case "SessionForked":
      return {
        ...moved,
        title: event.title ?? (summary.title === "" ? "" : copyTitle(summary.title, []))
      }
    case "ModelSwitched":
      return { ...moved, profile: event.profile }
    case "SessionEnded":
      return { ...moved, status: "ended" }
    case "SessionResumed":
      return { ...moved, status: "open" }
    default:
      return moved
  }
}

const track = (open: Open, envelope: Envelope): Open => {
  const { event, iteration = 0, seq, task = "", time, worker = [] } = envelope
  const isIt = (callId: string) => {
    const asked = { task, iteration, worker, callId }
    return (call: UnfinishedCall) => isSameCall(call, asked)
  }
  /** Calls end about in the order in which they were asked for: the look ends early, however many are open. */
  const others = (callId: string) => {
    const at = open.calls.findIndex(isIt(callId))
    return at === -1 ? open.calls : open.calls.toSpliced(at, 1)
  }
  const asked = (callId: string, tool: string, byUser: boolean): UnfinishedCall => ({
    task,
    iteration,
    worker,
    callId,
    tool,
    mayHaveHappened: false,
    byUser
  })
  switch (event._tag) {
    case "SessionCleared":
      return { ...open, visibleFrom: seq + 1 }
    case "SessionCompacted":
      return envelope.worker === undefined || isRoot(worker) ? { ...open, visibleFrom: seq } : open
    case "SessionRewound":
      return { ...open, visibleFrom: event.visibleFrom }
    case "TaskQueued":
      return { ...open, tasks: [...open.tasks, task] }
    case "TaskCompleted":
    case "TaskFailed":
    case "TaskInterrupted": {
      const requests = open.requests.filter((request) => request.task !== task)
      return { ...open, tasks: open.tasks.filter((other) => other !== task), requests }
    }
    case "ModelAnswered": {
      const calls = event.message.message.role === "assistant" ? (event.message.message.tool_calls ?? []) : []
      if (calls.length === 0) return open
      return { ...open, calls: [...open.calls, ...calls.map((call) => asked(call.id, call.function.name, false))] }
    }
    case "ToolCallRequested": {
      return open.calls.some(isIt(event.callId))
        ? open
        : { ...open, calls: [...open.calls, asked(event.callId, event.tool, true)] }
    }
    case "ToolCallStarted": {
      if (event.readOnly) return open
      const at = open.calls.findIndex(isIt(event.callId))
      const call = open.calls[at]
      return call === undefined ? open : { ...open, calls: open.calls.with(at, { ...call, mayHaveHappened: true }) }
    }
    case "ToolCallCompleted":
    case "ToolCallFailed":
    case "ToolCallInterrupted":
    case "ToolCallOutcomeUnknown":
      return { ...open, calls: others(event.callId) }
    case "ApprovalRequested":
      if (!open.tasks.includes(task)) return open
      return { ...open, requests: [...open.requests, { id: event.request.id, task, seq, time }] }
    case "ApprovalResolved":
      return { ...open, requests: open.requests.filter(({ id }) => id !== event.approvalId) }
    default:
      return open
  }
}

/** The message that an event adds to the conversation. */
export const messageOf = (event: Event): StoredMessage | undefined =>
  "message" in event && typeof event.message === "object" ? event.message : undefined

/** What an event does to the conversation of its worker. */
export const changeOf = (event: Event): Change | undefined => {
  switch (event._tag) {
    case "SessionCompacted":
      return { _tag: "Replaced", messages: [event.message, ...(event.kept ?? [])], todos: event.todos ?? [] }
    case "SessionCleared":
      return { _tag: "Replaced", messages: [], todos: [] }
    case "TodosChanged":
      return { _tag: "Planned", todos: event.items }
    default: {
      const message = messageOf(event)
      return message === undefined ? undefined : { _tag: "Added", message }
    }
  }
}

/** The events that may do anything to it. */
export const conversationTags: ReadonlyArray<EventTag> = [
  "TaskStarted",
  "ModelAnswered",
  "MessageRecorded",
  "SessionCompacted",
  "TodosChanged",
  "ToolCallCompleted",
  "ToolCallFailed",
  "ToolCallInterrupted",
  "ToolCallOutcomeUnknown"
]
