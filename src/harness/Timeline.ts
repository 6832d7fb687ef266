import type { Envelope } from "../runtime/Envelope.ts"
import type { EventTag } from "../runtime/Event.ts"

export interface TimelineOptions {
  /** Events that are left out. */
  readonly hide?: ReadonlyArray<EventTag>
}

/** Fields that differ from run to run or repeat what stands in the line already. */
const unstable: ReadonlySet<string> = new Set(["durationMillis", "waitedMillis", "requestedAt", "offset"])

const detail = ({ _tag, ...event }: Envelope["event"]): string =>
  JSON.stringify(event, (key, value: unknown) => (unstable.has(key) ? undefined : value))

/**
 * One line for each event, e.g. `+5000ms task_1/1 root ToolCallFailed {"tool":"slow",…}`: the time since the first, where
 * it belongs, what it says. Durations and sizes of pieces are left out, so that the text of a run is the same every time.
 */
export const render = (envelopes: ReadonlyArray<Envelope>, options: TimelineOptions = {}): string => {
  const start = envelopes[0]?.time ?? 0
  const hidden = new Set(options.hide ?? [])
  return envelopes
    .filter(({ event }) => !hidden.has(event._tag))
    .map(({ event, iteration, task, time, worker }) => {
      const place = task === undefined ? "-" : iteration === undefined ? task : `${task}/${iteration}`
      const path = worker === undefined ? "" : ` ${worker.join("/")}`
      const said = detail(event)
      return `+${Math.round(time - start)}ms ${place}${path} ${event._tag}${said === "{}" ? "" : ` ${said}`}`
    })
    .join("\n")
}

/** What is wrong with a recorded timeline by the invariants of the runtime (R4); nothing for a sound one. */
export const violations = (envelopes: ReadonlyArray<Envelope>): ReadonlyArray<string> => {
  const found: Array<string> = []
  const queued = new Set<string>()
  const started = new Set<string>()
  const ended = new Set<string>()
  const calls = new Map<string, "asked" | "done">()
  const approvals = new Set<string>()
  let last: number | undefined
  for (const { event, iteration, seq, task, transient, worker } of envelopes) {
    const at = `${seq} ${event._tag}`
    if (transient === true) {
      if (last !== undefined && seq > last) found.push(`${at}: follows ${seq}, which has not come yet`)
    } else {
      if (last !== undefined && seq !== last + 1) found.push(`${at}: follows ${last}`)
      last = seq
    }
    if (task === undefined) continue
    if (ended.has(task)) found.push(`${at}: after the terminal event of ${task}`)
    const key = (callId: string) => JSON.stringify([task, worker, iteration, callId])
    switch (event._tag) {
      case "TaskQueued":
        if (queued.has(task)) found.push(`${at}: ${task} was queued before`)
        queued.add(task)
        break
      case "TaskStarted":
        started.add(task)
        break
      case "TaskCompleted":
      case "TaskFailed":
      case "TaskInterrupted":
        ended.add(task)
        break
      case "ModelAnswered":
        if (event.message.message.role === "assistant") {
          for (const call of event.message.message.tool_calls ?? []) calls.set(key(call.id), "asked")
        }
        break
      case "ToolCallCompleted":
      case "ToolCallFailed":
      case "ToolCallInterrupted":
      case "ToolCallOutcomeUnknown":
        if (calls.get(key(event.callId)) === "done") found.push(`${at}: ${event.callId} had ended before`)
        calls.set(key(event.callId), "done")
        break
      case "ApprovalRequested":
        approvals.add(event.request.id)
        break
      case "ApprovalResolved":
        if (!approvals.delete(event.approvalId)) found.push(`${at}: ${event.approvalId} was not open`)
        break
      case "ToolCallStarted":
        for (const approval of approvals) if (approval === event.callId) found.push(`${at}: before its approval`)
        break
      default:
    }
    if (worker !== undefined && !started.has(task)) found.push(`${at}: before the start of ${task}`)
  }
  for (const task of queued) if (!ended.has(task)) found.push(`${task} has no terminal event`)
  for (const [call, state] of calls) if (state === "asked") found.push(`the call ${call} has no result`)
  return found
}
