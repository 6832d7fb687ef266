import type * as Effect from "effect/Effect"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import type { PolicyNotAllowed } from "./ApprovalError.ts"
import type { ApprovalPolicy } from "./ApprovalPolicy.ts"
import { type GrantLimits, Grants } from "./Grants.ts"
import type { ProjectRules } from "./ProjectRules.ts"
import type { Pending } from "./Queue.ts"
import type { RuleStoreFailed } from "./RuleStore.ts"

/** Denials of the same call in a task after which it no longer asks. */
const maxDenials = 3
const maxKept = 10_000

/** What only the owner of a session may do with its approvals. */
export interface SessionApprovals {
  readonly policy: Effect.Effect<ApprovalPolicy>
  /**
   * Holds for every later decision, not for a request that waits. `allow` is refused where the runtime was not started with
   * danger allowed, `sandboxed` where no sandbox holds commands, and what lets more run than the runtime was started with at most.
   */
  readonly setPolicy: (policy: ApprovalPolicy, by?: string) => Effect.Effect<void, PolicyNotAllowed>
  /** Takes back a grant, or a saved rule of the project; whether there was one. */
  readonly revoke: (id: string, by?: string) => Effect.Effect<boolean, RuleStoreFailed>
  /** A new task begins: what was denied too often may be asked again, and rules are read anew. */
  readonly beginTask: Effect.Effect<void>
  /** The task is over, and with it what was granted for it. */
  readonly endTask: Effect.Effect<void>
  /**
   * Stops asking. The requests of `waiting` stay open for the next owner and cannot be answered here any more; every
   * other one is withdrawn by the shutdown.
   */
  readonly suspend: (waiting: ReadonlyArray<string>) => Effect.Effect<void>
  /** Takes up stored requests again, which can be answered from here on, also before their call asks again. */
  readonly restore: (requests: ReadonlyArray<ApprovalRequest>) => Effect.Effect<void>
  /** Drops the restored requests of a worker that no call has asked for again, and gives them. */
  readonly abandon: (workerPath: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<ApprovalRequest>>
  /**
   * Vouches for one call that was decided on and started before a restart and goes on: with the object in its metadata
   * under `startedKey` it is not asked about again. Rules that deny it still count.
   */
  readonly vouch: Effect.Effect<object>
}

/** The approval state of one session. */
export class SessionState {
  readonly id: string
  /** Who can be asked: sessions of one audience share a queue. */
  readonly audience: string
  project: ProjectRules
  readonly grants: Grants
  policy: ApprovalPolicy
  /** It is being shut down: nothing is asked. */
  closing = false
  /** How many scopes hold it. */
  holders = 0
  /** Stored requests that no call has asked for again yet, by the call. */
  readonly restored = new Map<string, Pending>()
  /** How often a person has denied a call in the current task; limits repeated requests. */
  private readonly denials = new Map<string, number>()

  constructor(id: string, project: ProjectRules, policy: ApprovalPolicy, limits: GrantLimits, audience = "") {
    this.id = id
    this.audience = audience
    this.project = project
    this.policy = policy
    this.grants = new Grants(limits)
  }

  denied(likeness: string): void {
    if (this.denials.size < maxKept) this.denials.set(likeness, (this.denials.get(likeness) ?? 0) + 1)
  }

  isWorn(likeness: string): boolean {
    return (this.denials.get(likeness) ?? 0) >= maxDenials
  }

  /** Another owner takes over what was suspended, by the rules of now. */
  reopen(project: ProjectRules): void {
    this.project = project
    this.closing = false
    this.restored.clear()
  }

  beginTask(): void {
    this.denials.clear()
  }
}

/** Sessions that were not opened, for a toolset that is called without a runtime. */
const maxLoose = 1000

/** The known sessions; one that was not opened has the options of the layer and is dropped if there are many. */
export class SessionStates {
  private readonly opened = new Map<string, SessionState>()
  private readonly loose = new Map<string, SessionState>()
  private readonly unopened: (id: string) => SessionState

  constructor(unopened: (id: string) => SessionState) {
    this.unopened = unopened
  }

  get all(): ReadonlyArray<SessionState> {
    return [...this.opened.values(), ...this.loose.values()]
  }

  /** A stored request that no call has asked for again yet. */
  restored(approvalId: string): Pending | undefined {
    for (const { restored } of this.all) {
      for (const pending of restored.values()) if (pending.request.id === approvalId) return pending
    }
    return undefined
  }

  of(id: string): SessionState {
    const known = this.opened.get(id) ?? this.loose.get(id)
    if (known !== undefined) return known
    const made = this.unopened(id)
    this.loose.set(id, made)
    for (const oldest of this.loose.keys()) {
      if (this.loose.size <= maxLoose) break
      this.loose.delete(oldest)
    }
    return made
  }

  /** Holds a session; one that is held already stays what it is. */
  hold(id: string, make: () => SessionState): SessionState {
    const state = this.opened.get(id) ?? make()
    this.opened.set(id, state)
    this.loose.delete(id)
    state.holders++
    return state
  }

  /** Whether it is no longer held and can be dropped. */
  release(state: SessionState): boolean {
    state.holders--
    if (state.holders > 0) return false
    return this.opened.delete(state.id)
  }
}
