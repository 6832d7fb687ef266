import { computed, signal } from "@preact/signals"
import type { WaitingApproval } from "../../server/ApiSchema.ts"
import { clockAhead, get, post, type Problem } from "../Api.ts"
import type { Scope, WiderKind } from "../../tool/ApprovalRequest.ts"

/** The open requests of all sessions, as they are shown: the first is the first in line. */
export const queue = signal<ReadonlyArray<WaitingApproval>>([])

/** The request that the person looks at; the first one if unset. */
const chosen = signal<string | undefined>(undefined)

export const selected = computed((): WaitingApproval | undefined => {
  const found = queue.value.find(({ request }) => request.id === chosen.value)
  return found ?? queue.value[0]
})

export const select = (id: string): void => {
  chosen.value = id
}

/** Goes through the queue by so many. */
export const step = (by: number): void => {
  const all = queue.value
  const at = all.findIndex(({ request }) => request.id === selected.value?.request.id)
  const next = all[Math.min(all.length - 1, Math.max(0, at + by))]
  if (next !== undefined) chosen.value = next.request.id
}

/** When each request became the first in line, by the clock of the server: its time runs from there. */
const shownSince = new Map<string, number>()

/** Until when a request can be answered, in the time of the server; nothing while others are before it or where it can wait. */
export const deadlineOf = ({ ahead = 0, request }: WaitingApproval): number | undefined =>
  request.timeoutMillis === 0 || ahead > 0
    ? undefined
    : (shownSince.get(request.id) ?? request.requestedAt) + request.timeoutMillis

const isSame = (one: WaitingApproval, other: WaitingApproval): boolean =>
  one.request.id === other.request.id && one.request.digest === other.request.digest && one.ahead === other.ahead

/** The requests, in the order in which the runtime shows them. */
export const take = (found: ReadonlyArray<WaitingApproval>): void => {
  const rank = ({ ahead = Number.MAX_SAFE_INTEGER }: WaitingApproval) => ahead
  // One that is answered asks nobody any more.
  const open = found.filter(({ answered }) => answered === undefined)
  const sorted = open.toSorted((a, b) => rank(a) - rank(b) || a.request.requestedAt - b.request.requestedAt)
  const known = queue.value
  for (const one of sorted) {
    const before = known.find(({ request }) => request.id === one.request.id)
    if (one.ahead === 0 && before?.ahead !== undefined && before.ahead > 0) {
      shownSince.set(one.request.id, Date.now() + clockAhead.value)
    }
  }
  for (const id of shownSince.keys()) if (!sorted.some(({ request }) => request.id === id)) shownSince.delete(id)
  if (sorted.length === known.length && sorted.every((one, index) => isSame(one, known[index]!))) return
  // What is shown stays the same object as long as nothing of it changes.
  queue.value = sorted.map((one) => known.find((other) => isSame(one, other)) ?? one)
}

/** A request is over: no answer to it counts any more, so that it is not shown any more. */
export const drop = (id: string): void => {
  if (queue.value.some(({ request }) => request.id === id)) {
    queue.value = queue.value.filter(({ request }) => request.id !== id)
  }
}

export const queueProblem = signal<Problem | undefined>(undefined)

const refresh = async (): Promise<void> => {
  const found = await get<{ readonly approvals: ReadonlyArray<WaitingApproval> }>("/v1/approvals")
  if (found.ok) take(found.value.approvals)
  queueProblem.value = found.ok ? undefined : found.problem
}

/** What a person says to a request. */
export interface Decision {
  readonly decision: "approve" | "deny"
  readonly scope?: Scope
  readonly wider?: WiderKind
  readonly reason?: string
  readonly stop?: boolean
  readonly parameters?: unknown
}

/** An answer that did not count, to a request that is shown no more. */
export interface Missed {
  readonly tool: string
  readonly sessionId: string
  readonly message: string
}

/** The last of them, until the person has seen it. */
export const missed = signal<Missed | undefined>(undefined)

/** Sends an answer, bound by its digest to what was shown. */
export const answer = async (
  { digest, id, sessionId, tool }: WaitingApproval["request"],
  decision: Decision
): Promise<Problem | undefined> => {
  const sent = await post(`/v1/approvals/${encodeURIComponent(id)}`, { digest, ...decision })
  if (sent.ok || sent.problem.status === 404 || sent.problem.status === 410) drop(id)
  if (sent.ok) return undefined
  const { message } = sent.problem
  if (!queue.value.some(({ request }) => request.id === id)) missed.value = { tool, sessionId, message }
  void refresh()
  return sent.problem
}
