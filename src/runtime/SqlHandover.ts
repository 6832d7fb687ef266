import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as RcRef from "effect/RcRef"
import type * as Scope from "effect/Scope"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Database } from "../database/Database.ts"
import { type DatabaseError, fromCause } from "../database/DatabaseError.ts"
import * as Presence from "../database/Presence.ts"
import * as RealClock from "../process/RealClock.ts"
import { type Handover, SessionBusy } from "./SessionStore.ts"

/** How often an owner looks whether a session is wanted, and how long it may take to let go: it ends its task in good order. */
const times = { glance: "200 millis", patienceMillis: 20_000 } as const

/** The name of a file that says which process wants which session. */
const wish = /^wanted-([0-9a-f]{32})-(.+)$/

const keyOf = (session: string): string => crypto.createHash("sha256").update(session).digest("hex").slice(0, 32)

/** Asked by a file beside those of the processes that live; all sessions of a process are looked after by one fiber. */
export const make = ({ file, read: sql }: Database["Type"]): Effect.Effect<Handover, never, Scope.Scope> =>
  Effect.gen(function* () {
    const processes = `${file}-processes`
    const failed = (error: unknown): DatabaseError => fromCause(file, error)
    /** Sessions that are open here, by their keys. */
    const open = new Map<string, Deferred.Deferred<string>>()
    const taken = new Map<string, number>()

    /** Tells who wants a session that is open here; a wish of the dead counts for nothing. */
    const look = Effect.gen(function* () {
      for (const name of yield* Effect.try(() => fs.readdirSync(processes))) {
        const [, key = "", by = ""] = wish.exec(name) ?? []
        const wanted = open.get(key)
        if (wanted === undefined) continue
        if (yield* Presence.isPresent(processes, by)) yield* Deferred.succeed(wanted, by)
        else yield* Effect.try(() => fs.rmSync(path.join(processes, name), { force: true }))
      }
    })
    const looking = yield* RcRef.make({
      acquire: Effect.forkScoped(Effect.forever(Effect.zipRight(RealClock.pause(times.glance), Effect.ignore(look))))
    })

    const owner: Handover["owner"] = (session) =>
      sql`SELECT owner FROM sessions WHERE id = ${session}`.pipe(
        Effect.flatMap(([row]) => {
          const id: unknown = (row as { readonly owner?: unknown } | undefined)?.owner
          return typeof id === "string"
            ? Effect.map(Presence.isPresent(processes, id), (lives) => (lives ? Presence.pidOf(id) : undefined))
            : Effect.succeed(undefined)
        }),
        Effect.mapError(failed)
      )
    return {
      owner,
      takenBy: (session) => taken.get(session),
      requested: (session) =>
        Effect.scoped(
          Effect.gen(function* () {
            const key = keyOf(session)
            const wanted = yield* Deferred.make<string>()
            yield* Effect.acquireRelease(
              Effect.sync(() => {
                taken.delete(session)
                open.set(key, wanted)
              }),
              () => Effect.sync(() => open.delete(key))
            )
            yield* RcRef.get(looking)
            taken.set(session, Presence.pidOf(yield* Deferred.await(wanted)))
          })
        ),
      request: (session) =>
        Effect.scoped(
          Effect.gen(function* () {
            const from = yield* owner(session)
            if (from === undefined) return from
            const self = yield* Effect.mapError(Presence.appear(processes), failed)
            const asking = path.join(processes, `wanted-${keyOf(session)}-${self}`)
            yield* Effect.acquireRelease(
              Effect.try({ try: () => fs.writeFileSync(asking, "", { mode: 0o600 }), catch: failed }),
              () => Effect.sync(() => fs.rmSync(asking, { force: true }))
            )
            const free = Effect.map(owner(session), (now) => now === undefined)
            if (!(yield* RealClock.until(free, times.patienceMillis))) {
              return yield* new SessionBusy({ session, pid: from })
            }
            return from
          })
        )
    }
  })
