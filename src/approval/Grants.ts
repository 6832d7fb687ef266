import type { PreviewTarget } from "../tool/Preview.ts"

/** Whose later calls a grant covers: those of the root worker, or those of every sub-worker of the session. */
export type GrantedWorkers = "root" | "sub-workers"

export const workersOf = (path: ReadonlyArray<string>): GrantedWorkers => (path.length > 1 ? "sub-workers" : "root")

/** How long a grant holds. */
export type GrantScope = "task" | "session"

/** An answer that holds for later calls in the same session, in memory alone. */
export interface Grant {
  readonly id: string
  readonly sessionId: string
  readonly scope: GrantScope
  readonly workers: GrantedWorkers
  readonly tool: string
  /** What it covers; see `Subject`. */
  readonly key: string
  readonly words: string
  /** Files that it relies on. */
  readonly basis: ReadonlyArray<PreviewTarget>
  /** Milliseconds of the deadline clock. */
  readonly grantedAt: number
  readonly expiresAt: number
}

export interface GrantLimits {
  /** Grants of all sessions; the oldest goes first. */
  readonly max: number
  readonly ttlMillis: number
}

export const defaultLimits: GrantLimits = { max: 10_000, ttlMillis: 8 * 60 * 60 * 1000 }

const separator = "\u0000"
const place = (sessionId: string, workers: GrantedWorkers, key: string): string =>
  `${sessionId}${separator}${workers}${separator}${key}`

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
    const at = place(grant.sessionId, grant.workers, grant.key)
    // One for the session is not shortened by one for the task.
    if (
      grant.scope === "task" &&
      this.find(grant.sessionId, grant.workers, grant.key, grant.grantedAt)?.scope === "session"
    ) {
      return
    }
    this.byPlace.delete(at)
    this.byPlace.set(at, grant)
    for (const oldest of this.byPlace.keys()) {
      if (this.byPlace.size <= this.limits.max) break
      this.byPlace.delete(oldest)
    }
  }

  find(sessionId: string, workers: GrantedWorkers, key: string, now: number): Grant | undefined {
    if (this.byPlace.size === 0) return undefined
    const at = place(sessionId, workers, key)
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
