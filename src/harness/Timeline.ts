import { toText } from "../tool/WorkerPath.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import type { EventTag } from "../runtime/Event.ts"
import { Rules } from "./Rules.ts"

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
      const path = worker === undefined ? "" : ` ${toText(worker)}`
      const said = detail(event)
      return `+${Math.round(time - start)}ms ${place}${path} ${event._tag}${said === "{}" ? "" : ` ${said}`}`
    })
    .join("\n")
}

/**
 * The violations of docs/events.md, "What holds", in the timeline of one session; none for a sound one. A call is
 * identified by task, worker, iteration and id. If the timeline begins in the middle of a session, only tasks queued in
 * it are judged.
 */
export const violations = (envelopes: ReadonlyArray<Envelope>): ReadonlyArray<string> => {
  const rules = new Rules()
  for (const envelope of envelopes) rules.read(envelope)
  return rules.end()
}
