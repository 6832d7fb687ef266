import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Approvals, ApprovalsOptions } from "./Approvals.ts"
import * as Asking from "./Asking.ts"
import * as Deciding from "./Deciding.ts"
import * as DeskState from "./DeskState.ts"
import { isSame } from "../tool/WorkerPath.ts"
import type { Grant } from "./Grants.ts"
import * as Judging from "./Judging.ts"
import * as Pending from "./Pending.ts"

/** The one place where calls wait for decisions and decisions find their calls. */
export const make = (options: ApprovalsOptions, decideNow?: Deciding.Decide) =>
  Effect.gen(function* () {
    const state = yield* DeskState.make(options)
    const { audit, books, closing, grants, policies, policyOf, projectOf, projects, queue, remember } = state
    const { repetition, restored, vouchers } = state
    const { byRule, decide } = Deciding.make(state)
    const asking = Asking.make(state, (pending) => (decideNow === undefined ? Effect.void : byRule(pending, decideNow)))
    const { explain, request } = Judging.make(state, asking)
    const dangerous = options.danger === true || options.policy === "allow"

    const revoke = (session: string, by: string, fits: (grant: Grant) => boolean) =>
      Effect.suspend(() => {
        const removed = grants.remove((grant) => grant.sessionId === session && fits(grant))
        const told = Effect.forEach(
          removed,
          ({ id, tool }) => audit.record({ kind: "revoked", session, tool, decided_by: by, reason: id }),
          { discard: true }
        )
        return Effect.as(told, removed.length > 0)
      })

    const endTask = (session: string) =>
      Effect.asVoid(revoke(session, "end of the task", ({ scope }) => scope === "task"))

    const service: Approvals["Type"] = {
      request,
      decide,
      explain,
      setPolicy: (session, policy, by = "user") =>
        Effect.suspend(() => {
          if (policy === "allow" && !dangerous) return Effect.succeed(false)
          policies.set(session, policy)
          return Effect.as(audit.record({ kind: "policy_set", session, decided_by: by, outcome: policy }), true)
        }),
      policy: (session) => Effect.sync(() => policyOf(session)),
      pending: Effect.sync(() => queue.all.map(({ request }) => request)),
      unmasked: (approvalId) => Effect.sync(() => queue.find(approvalId)?.unmasked),
      grants: (session) => Effect.map(state.now, (now) => grants.list(now, session)),
      rules: (project) => Effect.map(books.get(project), ({ rules }) => rules),
      revoke: Effect.fn("Approvals.revoke")(function* (session: string, id: string, by = "user") {
        if (yield* revoke(session, by, (grant) => grant.id === id)) return true
        const known = yield* books.remove(projectOf(session), id)
        if (known) yield* audit.record({ kind: "revoked", session, decided_by: by, reason: id })
        return known
      }),
      openSession: (session, project) =>
        Effect.suspend(() => {
          projects.set(session, project)
          closing.delete(session)
          return books.reload(project)
        }),
      beginTask: (session) =>
        Effect.suspend(() => {
          repetition.forget(session)
          return Effect.zipRight(endTask(session), books.reload(projectOf(session)))
        }),
      closeSession: (session, waiting) =>
        Effect.suspend(() => {
          closing.add(session)
          const stays = new Set(waiting)
          const open = [...queue.all, ...restored.values()].filter(({ request }) => stays.has(request.id))
          return Effect.forEach(open, ({ answer }) => Deferred.fail(answer, new Pending.Suspended()), { discard: true })
        }),
      endSession: (session) =>
        Effect.suspend(() => {
          policies.delete(session)
          projects.delete(session)
          closing.delete(session)
          repetition.forget(session)
          for (const [key, { request }] of restored) if (request.sessionId === session) restored.delete(key)
          return Effect.asVoid(revoke(session, "end of the session", () => true))
        }),
      endTask,
      restore: (requests) =>
        Effect.forEach(
          requests,
          (request) =>
            Effect.flatMap(state.now, (now) =>
              Effect.map(Pending.make(request, undefined, undefined, now), (pending) => {
                restored.set(DeskState.callKey(request), pending)
              })
            ),
          { discard: true }
        ),
      vouch: Effect.sync(() => vouchers.make()),
      abandon: (session, workerPath) =>
        Effect.sync(() =>
          [...restored].flatMap(([key, { request }]) => {
            if (request.sessionId !== session || !isSame(request.workerPath, workerPath)) return []
            restored.delete(key)
            remember(request.id, "withdrawn")
            return [request]
          })
        )
    }
    return service
  })
