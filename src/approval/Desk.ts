import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Approvals, ApprovalsOptions, SessionApprovals, SessionOptions } from "./Approvals.ts"
import * as Asking from "./Asking.ts"
import * as Deciding from "./Deciding.ts"
import * as DeskState from "./DeskState.ts"
import { isSame } from "../tool/WorkerPath.ts"
import type { Grant } from "./Grants.ts"
import * as Judging from "./Judging.ts"
import * as Pending from "./Pending.ts"
import * as ProjectRules from "./ProjectRules.ts"
import { SessionState } from "./SessionState.ts"
import { Subjects } from "./Subject.ts"

/** The one place where calls wait for decisions and decisions find their calls. */
export const make = (options: ApprovalsOptions, decideNow?: Deciding.Decide) =>
  Effect.gen(function* () {
    const desk = yield* DeskState.make(options)
    const subjects = yield* Subjects
    const { audit, limits, queue, remember, sessions, vouchers } = desk
    const { byRule, decide } = Deciding.make(desk)
    const asking = Asking.make(desk, (pending) => (decideNow === undefined ? Effect.void : byRule(pending, decideNow)))
    const { explain, request } = Judging.make(desk, asking)
    const dangerous = options.danger === true || options.policy === "allow"

    const revoked = ({ grants, id: session }: SessionState, by: string, fits: (grant: Grant) => boolean) =>
      Effect.suspend(() => {
        const removed = grants.remove(fits)
        const told = Effect.forEach(
          removed,
          ({ id, tool }) => audit.record({ kind: "revoked", session, tool, decided_by: by, reason: id }),
          { discard: true }
        )
        return Effect.as(told, removed.length > 0)
      })

    const revoke = Effect.fn("Approvals.revoke")(function* (state: SessionState, id: string, by: string) {
      if (yield* revoked(state, by, (grant) => grant.id === id)) return true
      const known = yield* state.project.remove(id)
      if (known) yield* audit.record({ kind: "revoked", session: state.id, decided_by: by, reason: id })
      return known
    })

    const handle = (state: SessionState): SessionApprovals => {
      const { grants, id: session, project, restored } = state
      const endTask = Effect.asVoid(revoked(state, "end of the task", ({ scope }) => scope === "task"))
      return {
        policy: Effect.sync(() => state.policy),
        setPolicy: (policy, by = "user") =>
          Effect.suspend(() => {
            if (policy === "allow" && !dangerous) return Effect.succeed(false)
            state.policy = policy
            return Effect.as(audit.record({ kind: "policy_set", session, decided_by: by, outcome: policy }), true)
          }),
        grants: Effect.map(desk.now, (now) => grants.list(now)),
        rules: Effect.map(project.get, ({ rules }) => rules),
        revoke: (id, by = "user") => revoke(state, id, by),
        beginTask: Effect.suspend(() => {
          state.beginTask()
          return Effect.zipRight(endTask, project.reload)
        }),
        endTask,
        suspend: (waiting) =>
          Effect.suspend(() => {
            state.closing = true
            const stays = new Set(waiting)
            const open = [...queue.all, ...restored.values()].filter(({ request }) => stays.has(request.id))
            return Effect.forEach(open, ({ answer }) => Deferred.fail(answer, new Pending.Suspended()), {
              discard: true
            })
          }),
        restore: (requests) =>
          Effect.forEach(
            requests,
            (request) =>
              Effect.flatMap(desk.now, (now) =>
                Effect.map(Pending.make(request, undefined, undefined, now), (pending) => {
                  restored.set(DeskState.callKey(request), pending)
                })
              ),
            { discard: true }
          ),
        vouch: Effect.sync(() => vouchers.make()),
        abandon: (workerPath) =>
          Effect.sync(() =>
            [...restored].flatMap(([key, { request }]) => {
              if (!isSame(request.workerPath, workerPath)) return []
              restored.delete(key)
              remember(request.id, "withdrawn")
              return [request]
            })
          )
      }
    }

    const project = (given: SessionOptions["project"]) => (typeof given === "string" ? desk.project.at(given) : given)

    const service: Approvals["Type"] = {
      project: (given) => Effect.provideService(ProjectRules.make(given, desk.store), Subjects, subjects),
      session: ({ policy = options.policy, project: given, session }) =>
        Effect.acquireRelease(
          Effect.suspend(() => {
            const state = sessions.hold(session, () => new SessionState(session, project(given), policy, limits))
            if (state.closing) state.reopen()
            return Effect.as(state.project.reload, state)
          }),
          (state) =>
            Effect.suspend(() =>
              sessions.release(state) ? revoked(state, "end of the session", () => true) : Effect.void
            )
        ).pipe(Effect.map(handle)),
      request,
      decide,
      explain,
      pending: Effect.sync(() => queue.all.map(({ request }) => request)),
      unmasked: (approvalId) => Effect.sync(() => queue.find(approvalId)?.unmasked),
      policy: (session) => Effect.sync(() => sessions.of(session).policy),
      grants: (session) =>
        Effect.map(desk.now, (now) =>
          (session === undefined ? sessions.all : [sessions.of(session)]).flatMap(({ grants }) => grants.list(now))
        ),
      rules: (directory) => Effect.map(desk.project.at(directory).get, ({ rules }) => rules)
    }
    return service
  })
