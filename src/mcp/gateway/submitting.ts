import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { Project } from "../../host/Project.ts"
import type { Runtime } from "../../runtime/Runtime.ts"
import type { SessionHandle } from "../../runtime/SessionHandle.ts"
import type { Ids } from "../../tool/Ids.ts"
import type { Exchange } from "./Exchange.ts"
import type { IdleSessions } from "./IdleSessions.ts"
import type { Task } from "./Running.ts"
import type * as Talk from "./Talk.ts"
import { type CallRefused, refused, type Wanted } from "./Wanted.ts"

/** The beginning of the ids of sessions that a gateway makes; only those are taken up again by one. */
export const prefix = "mcp"

interface Means {
  readonly directory: string
  readonly exchange: Exchange["Type"]
  readonly idle: IdleSessions
  readonly ids: Ids["Type"]
  readonly projectHeld: () => Project | undefined
  readonly runtime: Runtime["Type"]
  readonly scope: Scope.Scope
  readonly talkOf: (by: string) => Talk.Talk
}

/** A call as the task of a session. */
export interface Submission {
  readonly handle: SessionHandle
  readonly talk: Talk.Talk
  readonly task: Task
}

/** Submits calls, each in a session of its client that has no other. */
export const submitting =
  ({ directory, exchange, idle, ids, projectHeld, runtime, scope, talkOf }: Means) =>
  ({ by, listener, parameters, tool }: Wanted): Effect.Effect<Submission, CallRefused, Scope.Scope> =>
    Effect.gen(function* () {
      const handle =
        idle.take(by, projectHeld()) ??
        (yield* Effect.mapError(
          Effect.provideService(
            Effect.flatMap(ids.next(prefix), (id) => runtime.session({ id, create: { project: directory }, by })),
            Scope.Scope,
            scope
          ),
          refused(tool)
        ))
      const id = yield* ids.next("task")
      const talk = talkOf(by)
      talk.attach(listener)
      exchange.open(id, talk)
      const task = yield* handle.invoke(tool, parameters, { task: id, apart: true }).pipe(
        Effect.mapError(refused(tool)),
        Effect.tapError(() => Effect.sync(() => exchange.close(id)))
      )
      return { handle, talk, task }
    })
