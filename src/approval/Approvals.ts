import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Scope } from "effect/Scope"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import type { Issue } from "../tool/Parameters.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import { type DecisionRefused, PolicyNotAllowed } from "./ApprovalError.ts"
import { type ApprovalPolicy, exceeds } from "./ApprovalPolicy.ts"
import { ofPartEffect } from "../middleware/PartCrashed.ts"
import { Audit } from "../audit/Audit.ts"
import type { Decide, Decision } from "./Decision.ts"
import * as Desk from "./Desk.ts"
import { defaultLimits, type Grant } from "./Grants.ts"
import * as Judge from "./Judge.ts"
import * as ProjectRules from "./ProjectRules.ts"
import type { Unmasked } from "./Request.ts"
import { checked, Reviewer } from "./Reviewer.ts"
import type { PatternRejected } from "./Rule.ts"
import { RuleStore } from "./RuleStore.ts"
import { type SessionApprovals, SessionState, SessionStates } from "./SessionState.ts"

/** What holds for sessions that bring nothing of their own. */
export interface ApprovalsOptions extends Desk.DeskOptions, Partial<Omit<ProjectRules.ProjectOptions, "directory">> {
  readonly policy: ApprovalPolicy
  /** Whether a session may be set to `allow` later; it may where `policy` is `allow` itself. */
  readonly danger?: boolean
  /** A session may be set to no mode that lets more run than this one; any if unset. */
  readonly most?: ApprovalPolicy
  /** Whether a person can be asked. If not, calls that would ask fail. Default: true. */
  readonly attended?: boolean
}

/** A session to be opened. */
export interface SessionOptions {
  readonly session: string
  /** What `ProjectRules.make` made, or the directory of a project that has the options of the layer. */
  readonly project: ProjectRules.ProjectRules | string
  /** What happens to calls that need a decision; that of the layer if unset. */
  readonly policy?: ApprovalPolicy
  /** Who can be asked: sessions of one audience share a queue, and no other waits for it. One for all if unset. */
  readonly audience?: string
}

/** What anybody may see of the approvals of a session, or of all sessions. */
export interface ApprovalState {
  /** What happens to calls that need a decision. */
  readonly policy: ApprovalPolicy
  /** What was granted and still holds. */
  readonly grants: ReadonlyArray<Grant>
  /** The open requests; the first of each audience is the one that is shown. */
  readonly pending: ReadonlyArray<ApprovalRequest>
}

/** What is known of an open request besides what it says. */
export interface Inspection {
  /** The parameters and the diff as they are, where the request masks something: for the screen alone. */
  readonly unmasked: Effect.Effect<Unmasked | undefined>
  /**
   * What later calls of the same answer would ask while it waits. Each may be allowed once, by its id and digest; its call is
   * judged anew in its turn and asks where anything is different by then.
   */
  readonly foreseen: Effect.Effect<ReadonlyArray<ApprovalRequest>>
  /** What is wrong with parameters that a person would put in place of its own. */
  readonly issues: (parameters: unknown) => Effect.Effect<ReadonlyArray<Issue>>
}

/** Where the runtime puts what vouches for a call in its metadata. */
export const startedKey = "tollgate/approval/started"

/** Who decides on calls. State is kept here alone: nothing that a client posts is evidence of a decision. */
export class Approvals extends Context.Tag("tollgate/approval/Approvals")<
  Approvals,
  {
    /**
     * Opens a session until the scope closes; its grants and denials end with it. Only the rules, root and home of its
     * own project count for its calls. The last scope of several that hold the same session ends it; project, mode and
     * audience are those of the first.
     */
    readonly session: (options: SessionOptions) => Effect.Effect<SessionApprovals, never, Scope>
    /**
     * Suspends until the call is decided; interrupting it withdraws the request. `asks` says whether the tool itself
     * wants a decision; a rule can want one as well. The preview is made only if someone is asked.
     */
    readonly request: Judge.Judge["request"]
    /** Answers an open request, once; an approval for longer also answers what it covers of the others that wait. */
    readonly decide: (decision: Decision) => Effect.Effect<void, DecisionRefused>
    /** What holds and what is open now: of one session, or of all and with the mode of new ones. */
    readonly state: (session?: string) => Effect.Effect<ApprovalState>
    /** What a person can look at who decides on an open request; nothing of one that is over. */
    readonly inspect: (approvalId: string) => Inspection
    /** Which rule, grant or mode would decide a call, and why. Nothing is asked and nothing is recorded. */
    readonly explain: Judge.Judge["explain"]
  }
>() {
  /** With an audit and saved rules that are gone with the layer; it fails where one of `rules` cannot be used. */
  static readonly layer: {
    (options: ApprovalsOptions & { readonly rules?: never }): Layer.Layer<Approvals>
    (options: ApprovalsOptions): Layer.Layer<Approvals, PatternRejected>
  } = (options: ApprovalsOptions) =>
    // Without rules nothing is rejected.
    Layer.provide(Approvals.layerAudited(options) as Layer.Layer<Approvals, never, Audit | RuleStore>, [
      Audit.layerMemory,
      RuleStore.layerMemory
    ])

  /** With the audit and the saved rules of the context, if any. */
  static readonly layerAudited = (
    options: ApprovalsOptions
  ): Layer.Layer<Approvals, PatternRejected, Audit | RuleStore> => Layer.effect(Approvals, make(options))

  /** Decides by rule without asking anyone, e.g. in tests. */
  static readonly layerDecide = (decide: Decide): Layer.Layer<Approvals> =>
    Layer.orDie(Layer.effect(Approvals, make({ policy: "ask" }, decide))).pipe(
      Layer.provide([Audit.layerMemory, RuleStore.layerMemory])
    )
}

const make = (options: ApprovalsOptions, decideNow?: Decide) =>
  Effect.gen(function* () {
    const { attended = true, danger = options.policy === "allow", most, policy: usual, root = "/" } = options
    const usualProject = yield* ProjectRules.make({ ...options, directory: "", root })
    const limits = { ...defaultLimits, ...options.grants }
    const sessions = new SessionStates((id) => new SessionState(id, usualProject, usual, limits))
    const desk = yield* Desk.make(options, sessions, decideNow)
    const { audit, audiences } = desk
    /** Each vouches, once, for one call that was approved and started before a restart. */
    const vouchers = new WeakSet<object>()
    const redeem = ({ metadata }: ToolCall): boolean => {
      const voucher = metadata[startedKey]
      return typeof voucher === "object" && voucher !== null && vouchers.delete(voucher)
    }
    const { explain, foresee, request } = Judge.make(desk, sessions, attended, checked(yield* Reviewer), redeem)

    const refusalOf = (policy: ApprovalPolicy, project: ProjectRules.ProjectRules) =>
      policy === "allow" && !danger
        ? Effect.succeed("The policy allow cannot be set here: it is chosen only when Tollgate starts.")
        : most !== undefined && exceeds(policy, most)
          ? Effect.succeed(
              `The mode ${policy} lets more run than ${most}, the most that this run allows. Start it with --mode-up-to ${policy}.`
            )
          : policy === "sandboxed"
            ? project.unconfined
            : Effect.succeed(undefined)

    const reloaded = ({ project }: SessionState) => ofPartEffect("reads the rules of the project", () => project.reload)
    const handle = (state: SessionState): SessionApprovals => {
      const { id: session } = state
      const endTask = Effect.asVoid(desk.revoke(state, "end of the task", ({ scope }) => scope === "task"))
      return {
        policy: Effect.sync(() => state.policy),
        setPolicy: (policy, by = "user") =>
          Effect.gen(function* () {
            const reason = yield* refusalOf(policy, state.project)
            if (reason !== undefined) return yield* new PolicyNotAllowed({ policy, reason })
            state.policy = policy
            yield* audit.record({ kind: "policy_set", session, decided_by: by, outcome: policy })
          }),
        revoke: Effect.fn("Approvals.revoke")(function* (id: string, by = "user") {
          if (yield* desk.revoke(state, by, (grant) => grant.id === id)) return true
          const known = yield* state.project.remove(id)
          if (known) yield* audit.record({ kind: "revoked", session, decided_by: by, reason: id })
          return known
        }),
        beginTask: Effect.suspend(() => {
          state.beginTask()
          return Effect.zipRight(endTask, reloaded(state))
        }),
        endTask,
        ...desk.owned(state),
        vouch: Effect.sync(() => {
          const voucher = {}
          vouchers.add(voucher)
          return voucher
        })
      }
    }

    const opened = ({ audience, policy = usual, project, session }: SessionOptions) =>
      Effect.suspend(() => {
        const own = typeof project === "string" ? usualProject.at(project) : project
        const state = sessions.hold(session, () => new SessionState(session, own, policy, limits, audience))
        if (state.closing) state.reopen(own)
        return Effect.as(reloaded(state), state)
      })
    const closed = (state: SessionState) =>
      Effect.suspend(() =>
        sessions.release(state) ? desk.revoke(state, "end of the session", () => true) : Effect.void
      )

    return Approvals.of({
      session: (given) => Effect.map(Effect.acquireRelease(opened(given), closed), handle),
      request,
      decide: desk.decide,
      explain,
      state: (session) =>
        Effect.map(desk.now, (now) => {
          const pending = audiences.all.map(({ request }) => request)
          if (session === undefined) {
            return { policy: usual, grants: sessions.all.flatMap(({ grants }) => grants.list(now)), pending }
          }
          const { grants, policy } = sessions.of(session)
          return { policy, grants: grants.list(now), pending: pending.filter(({ sessionId }) => sessionId === session) }
        }),
      inspect: (approvalId) => ({
        unmasked: Effect.sync(() => audiences.find(approvalId)?.unmasked),
        foreseen: desk.foreseen(approvalId, foresee),
        issues: (parameters) =>
          Effect.sync(() => {
            const found = audiences.find(approvalId)?.tool?.codec.decode()(parameters)
            return found !== undefined && Either.isLeft(found) ? found.left : []
          })
      })
    })
  })
