import type { PreviewTarget } from "../tool/Preview.ts"

/** An answer that holds for later calls of the same worker in the same session, in memory alone. */
export interface Grant {
  readonly id: string
  readonly sessionId: string
  readonly worker: string
  readonly tool: string
  /** What it covers; see `Subject`. */
  readonly key: string
  readonly words: string
  /** Files that it relies on. */
  readonly basis: ReadonlyArray<PreviewTarget>
  /** Epoch milliseconds. */
  readonly grantedAt: number
  readonly expiresAt: number
}

export interface GrantLimits {
  /** Grants of all sessions; the oldest goes first. */
  readonly max: number
  readonly ttlMillis: number
}

export const defaultLimits: GrantLimits = { max: 10_000, ttlMillis: 8 * 60 * 60 * 1000 }

export const workerText = (path: ReadonlyArray<string>): string => JSON.stringify(path)

const separator = "\u0000"
const place = (sessionId: string, worker: string, key: string): string =>
  `${sessionId}${separator}${worker}${separator}${key}`

/** The grants of all sessions, looked up by exactly what they cover. */
export class Grants {
  private readonly byPlace = new Map<string, Grant>()
  private readonly limits: GrantLimits

  constructor(limits: GrantLimits = defaultLimits) {
    this.limits = limits
  }

  get size(): number {
    return this.byPlace.size
  }

  add(grant: Grant): void {
    const at = place(grant.sessionId, grant.worker, grant.key)
    this.byPlace.delete(at)
    this.byPlace.set(at, grant)
    for (const oldest of this.byPlace.keys()) {
      if (this.byPlace.size <= this.limits.max) break
      this.byPlace.delete(oldest)
    }
  }

  find(sessionId: string, worker: string, key: string, now: number): Grant | undefined {
    if (this.byPlace.size === 0) return undefined
    const at = place(sessionId, worker, key)
    const grant = this.byPlace.get(at)
    if (grant === undefined) return undefined
    if (grant.expiresAt > now) return grant
    this.byPlace.delete(at)
    return undefined
  }

  /** Those that hold now, of one session or of all. */
  list(now: number, sessionId?: string): ReadonlyArray<Grant> {
    return [...this.byPlace.values()].filter(
      (grant) => grant.expiresAt > now && (sessionId === undefined || grant.sessionId === sessionId)
    )
  }

  /** Removes those that fit and gives them. */
  remove(fits: (grant: Grant) => boolean): ReadonlyArray<Grant> {
    const removed: Array<Grant> = []
    for (const [at, grant] of this.byPlace) {
      if (!fits(grant)) continue
      this.byPlace.delete(at)
      removed.push(grant)
    }
    return removed
  }
}
