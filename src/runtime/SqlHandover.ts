import * as Effect from "effect/Effect"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Database } from "../database/Database.ts"
import { type DatabaseError, fromCause } from "../database/DatabaseError.ts"
import * as Presence from "../database/Presence.ts"
import * as RealClock from "../process/RealClock.ts"
import { type Handover, SessionBusy } from "./SessionStore.ts"

/** How often each side looks, and how long the owner may take: it ends its task in good order. */
const times = { glance: "200 millis", patienceMillis: 20_000 } as const

/** Asked by a file beside those of the processes that live: it names the one that wants the session. */
export const make = ({ file, read: sql }: Database["Type"]): Handover => {
  const processes = `${file}-processes`
  const wishOf = (session: string) =>
    path.join(processes, `wanted-${crypto.createHash("sha256").update(session).digest("hex").slice(0, 32)}`)
  const taken = new Map<string, number>()
  const failed = (error: unknown): DatabaseError => fromCause(file, error)

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
  /** The process that a wish names; none where there is no wish. */
  const wish = (session: string): number | undefined => {
    try {
      const pid = Number(fs.readFileSync(wishOf(session), "utf8").slice(0, 20))
      return Number.isInteger(pid) && pid > 0 && pid !== process.pid ? pid : undefined
    } catch {
      return undefined
    }
  }
  return {
    owner,
    takenBy: (session) => taken.get(session),
    requested: (session) =>
      Effect.suspend(() => {
        taken.delete(session)
        return Effect.repeat(
          Effect.zipRight(
            RealClock.pause(times.glance),
            Effect.sync(() => {
              const pid = wish(session)
              if (pid !== undefined) taken.set(session, pid)
              return pid !== undefined
            })
          ),
          { until: (asked) => asked }
        ).pipe(Effect.asVoid)
      }),
    request: (session) =>
      Effect.gen(function* () {
        const from = yield* owner(session)
        if (from === undefined) return
        const deadline = RealClock.now() + times.patienceMillis
        yield* Effect.acquireUseRelease(
          Effect.try({
            try: () => {
              fs.mkdirSync(processes, { recursive: true, mode: 0o700 })
              fs.writeFileSync(wishOf(session), String(process.pid), { mode: 0o600 })
            },
            catch: failed
          }),
          () =>
            Effect.gen(function* () {
              for (;;) {
                const now = yield* owner(session)
                if (now === undefined) return
                if (RealClock.now() > deadline) return yield* new SessionBusy({ session, pid: now })
                yield* RealClock.pause(times.glance)
              }
            }),
          () => Effect.sync(() => fs.rmSync(wishOf(session), { force: true }))
        )
      })
  }
}
