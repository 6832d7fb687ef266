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
  /** The sub-workers that are open, by their paths, with the calls that started them. */
  const workers = new Map<string, string>()
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
    const path = JSON.stringify([task, ...(worker ?? [])])
    const inside = [...workers.keys()].filter((other) => other !== path && other.startsWith(path.slice(0, -1)))
    if (worker !== undefined && worker.length > 1 && event._tag !== "WorkerStarted" && !workers.has(path)) {
      found.push(`${at}: ${path} has not started or has ended`)
    }
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
        for (const open of inside) found.push(`${at}: the worker ${open} has not ended`)
        break
      case "WorkerStarted":
        if (workers.has(path)) found.push(`${at}: ${path} had started before`)
        workers.set(path, event.callId)
        break
      case "WorkerCompleted":
      case "WorkerFailed":
      case "WorkerInterrupted":
        workers.delete(path)
        for (const open of inside) found.push(`${at}: the worker ${open} has not ended`)
        for (const [call, state] of calls) {
          const [, of] = JSON.parse(call) as [string, ReadonlyArray<string>]
          if (state === "asked" && JSON.stringify([task, ...of]) === path)
            found.push(`${at}: before the result of ${call}`)
        }
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
        for (const open of inside) {
          const direct = (JSON.parse(open) as ReadonlyArray<string>).length === (worker?.length ?? 0) + 2
          if (direct && workers.get(open) === event.callId) found.push(`${at}: before its worker ${open}`)
        }
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
