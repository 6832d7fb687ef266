import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { betterSqlite } from "./betterSqlite.ts"
import type { Driver } from "./Driver.ts"
import { photostructure } from "./photostructure.ts"

/** No package that brings SQLite is installed, or none has a binary for this machine. */
export class DriverMissing extends Data.TaggedError("DriverMissing")<{ readonly code: string }> {
  override get message() {
    const [wanted] = candidates
    return `SQLite for ${process.platform} ${process.arch} is missing; install it beside Tollgate: npm install ${wanted?.package ?? ""}`
  }
}

interface Candidate {
  /** The spec for npm. */
  readonly package: string
  readonly load: () => Promise<Driver>
}

/** Node 22.14 and later; on an older one the package ends the process. */
const hasBetterSqlite = Number(process.versions.napi) >= 10

/** The fastest first. Neither is compiled or downloaded when it is installed: the binaries are in the packages. */
const candidates: ReadonlyArray<Candidate> = [
  ...(hasBetterSqlite
    ? [
        {
          package: "better-sqlite3@13.2.0",
          load: () => import("better-sqlite3").then((module) => betterSqlite(module.default))
        }
      ]
    : []),
  { package: "@photostructure/sqlite@1.2.1", load: () => import("@photostructure/sqlite").then(photostructure) }
]

let loaded: Driver | undefined

/** The driver of this process. */
export const driver: Effect.Effect<Driver, DriverMissing> = Effect.suspend(() =>
  loaded !== undefined
    ? Effect.succeed(loaded)
    : Effect.firstSuccessOf(
        candidates.map(({ load }) =>
          Effect.tryPromise({ try: load, catch: () => new DriverMissing({ code: "driver" }) })
        )
      ).pipe(
        Effect.tap((found) =>
          Effect.sync(() => {
            loaded = found
          })
        )
      )
)
