import { isWithin } from "../../src/tool/WorkerPath.ts"
import type { Envelope } from "../../src/runtime/Envelope.ts"
import { isTerminal, type Event } from "../../src/runtime/Event.ts"

/** A timeline with one thing changed, and what. */
export interface Mutant {
  readonly kind: "deleted" | "doubled" | "swapped"
  /** Of the event that was changed, or of the first of two, in the original. */
  readonly at: number
  readonly timeline: ReadonlyArray<Envelope>
}

const numbered = (events: ReadonlyArray<Envelope>): ReadonlyArray<Envelope> =>
  events.map((envelope, index) => ({ ...envelope, seq: index + 1 }))

/** Every deletion, every duplication and every swap of neighbours, numbered anew so that the numbers tell nothing. */
export const mutantsOf = (events: ReadonlyArray<Envelope>): ReadonlyArray<Mutant> =>
  events.flatMap((envelope, at): ReadonlyArray<Mutant> => {
    const [before, after] = [events.slice(0, at), events.slice(at + 1)]
    const [next, ...rest] = after
    const swapped =
      next === undefined
        ? []
        : [{ kind: "swapped", at, timeline: numbered([...before, next, envelope, ...rest]) } as const]
    return [
      { kind: "deleted", at, timeline: numbered([...before, ...after]) },
      { kind: "doubled", at, timeline: numbered([...before, envelope, envelope, ...after]) },
      ...swapped
    ]
  })

const callOf = ({ event, iteration, task, worker }: Envelope): string | undefined => {
  const id = event._tag === "ApprovalRequested" ? event.request.callId : "callId" in event ? event.callId : undefined
  return id === undefined || event._tag === "WorkerStarted" ? undefined : JSON.stringify([task, worker, iteration, id])
}

const workerOf = ({ task, worker }: Envelope): string => JSON.stringify([task, worker])

/** May be said at any time, any number of times or not at all. */
const remarks: ReadonlySet<Event["_tag"]> = new Set([
  "ModelSwitched",
  "ApprovalPolicySet",
  "ApprovalRevoked",
  "CommandRejected",
  "ErrorRaised",
  "SessionCleared",
  "Notified",
  "BudgetAlerted"
])
/** Inside a call, any number of times or not at all. */
const notes: ReadonlySet<Event["_tag"]> = new Set(["ApprovalMoved", "FileChanged", "HookIntervened"])
/** Inside a call, at most as often as there is something to tell. */
const reports: ReadonlySet<Event["_tag"]> = new Set([
  "ToolCallRetried",
  "ToolDefectCaught",
  "ToolStragglerEnded",
  "ReviewerFailed",
  "ClientCallRequested"
])

const endsCall = ({ _tag }: Event): boolean =>
  _tag === "ToolCallCompleted" ||
  _tag === "ToolCallFailed" ||
  _tag === "ToolCallInterrupted" ||
  _tag === "ToolCallOutcomeUnknown"
const endsWorker = ({ _tag }: Event): boolean =>
  _tag === "WorkerCompleted" || _tag === "WorkerFailed" || _tag === "WorkerInterrupted"
const isPlainMessage = ({ event }: Envelope): boolean =>
  event._tag === "MessageRecorded" && !/^(?:request|answer)_/.test(event.message.id)

/** What can be left out of a log that is still one of some run. */
const dispensable = (events: ReadonlyArray<Envelope>, at: number): boolean => {
  const envelope = events[at]
  if (envelope === undefined) return false
  const { event, task } = envelope
  const later = events.slice(at + 1)
  const call = callOf(envelope)
  const rest = call === undefined ? [] : later.filter((other) => callOf(other) === call)
  const ended = later.find((other) => other.task === task && isTerminal(other.event))?.event
  const worker = later.filter((other) => workerOf(other) === workerOf(envelope))
  if (remarks.has(event._tag) || notes.has(event._tag)) return true
  // A model that is free is not charged.
  if (event._tag === "ModelCharged") return true
  switch (event._tag) {
    // A runtime that dies says nothing of it, and the next owner need not find anything open.
    case "SessionSuspended":
    case "SessionEnded":
    case "SessionResumed":
      return true
    case "TaskStarted":
      return later.every((other) => other.task !== task || other.worker === undefined)
    case "TaskCancelling":
      return true
    // Somebody asked and heard nothing: the request failed, was interrupted, or the runtime died.
    case "ModelRequested":
      return ended?._tag !== "TaskCompleted" || worker.some((other) => endsWorker(other.event))
    // It asked for nothing, and the runtime died before anything came of it.
    case "ModelAnswered": {
      const { message } = event.message
      const asks = message.role === "assistant" && (message.tool_calls ?? []).length > 0
      return !asks && ended?._tag !== "TaskCompleted" && worker.every(({ event }) => event._tag === "WorkerInterrupted")
    }
    case "ModelAttemptFailed":
    case "ToolCallRetried":
      return !later.some(
        (other) =>
          other.event._tag === event._tag &&
          workerOf(other) === workerOf(envelope) &&
          other.iteration === envelope.iteration &&
          callOf(other) === call
      )
    case "ToolDefectCaught":
    case "ToolStragglerEnded":
    case "ReviewerFailed":
    case "ClientCallRequested":
    case "ModelInterrupted":
      return true
    case "IterationEnded":
      return worker.every((other) => endsWorker(other.event))
    // Interrupted before it came to it.
    case "ToolCallRequested":
      return rest.every((other) => other.event._tag === "ToolCallInterrupted")
    // Refused, or interrupted, before it came to it.
    case "ToolCallStarted":
      return rest.every(
        (other) =>
          other.event._tag === "ToolCallFailed" ||
          other.event._tag === "ToolCallInterrupted" ||
          other.event._tag === "ToolDefectCaught"
      )
    case "MessageRecorded":
      return isPlainMessage(envelope)
    // A person asked for a draft alone, or what came was no summary.
    case "SessionCompacted":
      return true
    default:
      return false
  }
}

const repeatable = ({ event }: Envelope): boolean =>
  remarks.has(event._tag) ||
  notes.has(event._tag) ||
  event._tag === "TaskCancelling" ||
  event._tag === "ToolStragglerEnded"

/** The tasks that have started, and the calls, by their places. */
const startedIn = (events: ReadonlyArray<Envelope>): ReadonlySet<string> =>
  new Set(
    events.flatMap((envelope) => {
      const { event, task } = envelope
      return event._tag === "TaskStarted"
        ? (task ?? [])
        : event._tag === "ToolCallStarted"
          ? (callOf(envelope) ?? [])
          : []
    })
  )

const starterKey = ({ task }: Envelope, worker: ReadonlyArray<string>, callId: string): string =>
  JSON.stringify([task, worker, callId])

/** Which call started which worker. */
const startersIn = (events: ReadonlyArray<Envelope>): ReadonlySet<string> =>
  new Set(
    events.flatMap((envelope) =>
      envelope.event._tag === "WorkerStarted"
        ? [starterKey(envelope, envelope.worker ?? [], envelope.event.callId)]
        : []
    )
  )

/** Two neighbours that could as well have come the other way round. */
const commute = (
  a: Envelope,
  b: Envelope,
  reads: ReadonlySet<string>,
  started: ReadonlySet<string>,
  starters: ReadonlySet<string>
): boolean => {
  const [one, other] = [a.event, b.event]
  if (remarks.has(one._tag) || remarks.has(other._tag)) return true
  // A dying owner may have interrupted it, or the next one.
  const resumed = one._tag === "SessionResumed" ? other._tag : other._tag === "SessionResumed" ? one._tag : undefined
  if (resumed === "ToolCallInterrupted" || resumed === "WorkerInterrupted") return true
  if (a.task !== b.task) {
    return (
      a.task !== undefined &&
      b.task !== undefined &&
      !(isTerminal(one) && started.has(a.task) && other._tag === "TaskStarted")
    )
  }
  const cancelling = one._tag === "TaskCancelling" ? b : other._tag === "TaskCancelling" ? a : undefined
  if (cancelling !== undefined) return !isTerminal(cancelling.event) && cancelling.event._tag !== "TaskQueued"
  const calls = [callOf(a), callOf(b)]
  if (calls[0] !== undefined && calls[0] === calls[1]) {
    const said = [one, other].filter((event) => notes.has(event._tag) || reports.has(event._tag)).length
    return said === 2 || (said === 1 && !(one._tag === "ToolCallRequested" || other._tag === "ApprovalResolved"))
  }
  // A worker and the one above it: its task, its calls and its end are bound to the call, and to no other.
  if (workerOf(a) !== workerOf(b)) {
    const [x, y] = [a.worker ?? [], b.worker ?? []]
    if (!isWithin(x, y) && !isWithin(y, x)) return true
    const [above, below] = x.length < y.length ? [a, y] : [b, x]
    const call = "callId" in above.event ? above.event.callId : undefined
    const child = below.slice(0, (above.worker ?? []).length + 1)
    // Another call of the worker above did not start it.
    if (call !== undefined && (above.worker ?? []).length > 0 && !starters.has(starterKey(above, child, call)))
      return true
    return !(one._tag === "WorkerStarted" || endsWorker(other))
  }
  if (isPlainMessage(a) || isPlainMessage(b)) return true
  // Stragglers of iterations that are over.
  if (reports.has(one._tag) || reports.has(other._tag) || one._tag === "FileChanged" || other._tag === "FileChanged")
    return true
  const tool = (event: Event) =>
    event._tag === "ApprovalRequested" ? event.request.tool : "tool" in event ? event.tool : ""
  const side = endsCall(one) && endsCall(other)
  // A read may be over before or after the next one is asked for, or one that never showed that it is none.
  if (endsCall(one) && other._tag === "ToolCallRequested") {
    if (tool(one) === "delegate") return tool(other) === "delegate"
    return reads.has(tool(one)) && (reads.has(tool(other)) || !started.has(calls[1] ?? ""))
  }
  return (
    calls.every((call) => call !== undefined) &&
    (side ||
      (tool(one) === "delegate" && tool(other) === "delegate" && one._tag !== "ToolCallRequested") ||
      (reads.has(tool(one)) && reads.has(tool(other)) && one._tag !== "ToolCallRequested"))
  )
}

/** Whether the mutant tells of another run that is as sound as the original. */
export const isEquivalent = (
  events: ReadonlyArray<Envelope>,
  { at, kind }: Mutant,
  reads: ReadonlySet<string>
): boolean => {
  const [envelope, next] = events.slice(at)
  if (envelope === undefined) return false
  switch (kind) {
    case "deleted":
      return dispensable(events, at)
    case "doubled":
      return repeatable(envelope)
    case "swapped":
      return next !== undefined && commute(envelope, next, reads, startedIn(events), startersIn(events))
  }
}
