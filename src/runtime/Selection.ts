import { isSame, isWithin, root, type WorkerPath } from "../tool/WorkerPath.ts"
import type { Envelope } from "./Envelope.ts"
import type { EventTag } from "./Event.ts"
import { isRewound, type Rewound } from "./Rewound.ts"
import type { Projection } from "./Projection.ts"

/** A filter for durable events of a session; every given field must match. */
export interface Selection {
  /** The number of the first. */
  readonly from?: number
  readonly tags?: ReadonlyArray<EventTag>
  readonly tasks?: ReadonlyArray<string>
  readonly iterations?: ReadonlyArray<number>
  /** Of the worker at this path; the root's are also those that no worker has. */
  readonly worker?: WorkerPath
  /** Of the worker at this path and those below it. */
  readonly within?: WorkerPath
  /** Those that answer the command of this id. */
  readonly commandId?: string
  /** Not those that no longer count. */
  readonly except?: ReadonlyArray<Rewound>
  readonly limit?: number
  /** The last `limit` of them instead of the first. */
  readonly last?: boolean
}

const has = <A>(some: ReadonlyArray<A> | undefined, one: A | undefined): boolean =>
  some === undefined || (one !== undefined && some.includes(one))

/** Picks from all events of a session, for a store that has no better way. */
export const pick = (events: ReadonlyArray<Envelope>, which: Selection): ReadonlyArray<Envelope> => {
  const { commandId, except = [], from = 1, iterations, last = false, limit, tags, tasks, within, worker } = which
  const matches = ({ event, iteration, seq, task, worker: path }: Envelope): boolean =>
    seq >= from &&
    !isRewound(except, seq) &&
    has(tags, event._tag) &&
    has(tasks, task) &&
    has(iterations, iteration) &&
    (worker === undefined || isSame(path ?? root, worker)) &&
    (within === undefined || isWithin(path ?? [], within)) &&
    (commandId === undefined || ("commandId" in event && event.commandId === commandId))
  if (last && limit !== undefined) return limit === 0 ? [] : events.filter(matches).slice(-limit)
  const found: Array<Envelope> = []
  for (const envelope of events) {
    if (found.length === limit) break
    if (matches(envelope)) found.push(envelope)
  }
  return found
}

/** Which sessions, the latest first; one without events is none yet, as its first owner may have died before it had any. */
export interface SessionFilter {
  readonly project?: string
  /** What their ids begin with. */
  readonly beginning?: string
  /** Those alone that have open approval requests. */
  readonly waiting?: boolean
  readonly limit?: number
}

/** Picks from all sessions, for a store that has no better way. */
export const pickSessions = (
  sessions: ReadonlyArray<Projection>,
  { beginning = "", limit, project, waiting = false }: SessionFilter
): ReadonlyArray<Projection> =>
  sessions
    .filter(
      ({ open, summary }) =>
        summary.head > 0 &&
        summary.id.startsWith(beginning) &&
        (project === undefined || summary.project === project) &&
        (!waiting || open.requests.length > 0)
    )
    .toSorted((a, b) => b.summary.updatedAt - a.summary.updatedAt)
    .slice(0, limit)
