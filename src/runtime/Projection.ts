import * as Schema from "effect/Schema"
import type { StoredMessage } from "../conversation/Message.ts"
import { isSameCall } from "../tool/CallPlace.ts"
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
  /** The beginning of the first prompt, or of the title that was imported. */
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

const titleOf = (text: string): string =>
  Array.from(text.slice(0, 2 * maxTitle))
    .slice(0, maxTitle)
    .join("")

const summarise = (summary: SessionSummary, { event, seq, time }: Envelope): SessionSummary => {
  const moved = { ...summary, head: seq, updatedAt: time }
  switch (event._tag) {
    case "TaskQueued":
      return summary.title === "" ? { ...moved, title: titleOf(event.prompt) } : moved
    case "SessionImported":
      return { ...moved, title: titleOf(event.title) }
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
  const others = (callId: string) => {
    const isEnded = isIt(callId)
    return open.calls.filter((call) => !isEnded(call))
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
      return { ...open, visibleFrom: seq }
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

/** The events that may have one. */
export const messageTags: ReadonlyArray<EventTag> = [
  "TaskStarted",
  "ModelAnswered",
  "MessageRecorded",
  "SessionCompacted",
  "ToolCallCompleted",
  "ToolCallFailed",
  "ToolCallInterrupted",
  "ToolCallOutcomeUnknown"
]
