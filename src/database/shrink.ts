import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as Presence from "./Presence.ts"
import { open } from "./Sqlite.ts"

/** The bytes of a file before and after it was to be shrunk. */
export interface Shrunk {
  readonly before: number
  readonly after: number
  /** What is still free in it. */
  readonly free: number
  /** Whether other processes use it, so that it was left as it is. */
  readonly others: boolean
}

/** Less than this is not worth writing the whole file anew: bytes, and a share of it. */
const worth = { bytes: 1024 * 1024, share: 0.2 }

/** Whether another process that lives has sessions of the database open. */
const isShared = (file: string): Effect.Effect<boolean, SqlError> =>
  Effect.suspend(() => {
    const directory = `${file}-processes`
    const ids = fs.existsSync(directory) ? fs.readdirSync(directory) : []
    const others = ids.filter((id) => Presence.pidOf(id) !== 0 && Presence.pidOf(id) !== process.pid)
    return Effect.exists(others, (id) => Presence.isPresent(directory, id))
  })

/** Writes the file anew without its free pages, over a connection of its own. */
export const shrink = (file: string, connection: Pick<Connection, "execute">): Effect.Effect<Shrunk, SqlError> =>
  Effect.gen(function* () {
    const number = (pragma: string) =>
      Effect.map(connection.execute(`PRAGMA ${pragma}`, [], undefined), ([row]) => Number(row?.[pragma]))
    const page = yield* number("page_size")
    const free = page * (yield* number("freelist_count"))
    const before = page * (yield* number("page_count"))
    const others = yield* isShared(file)
    if (others || free < worth.bytes || free < worth.share * before) return { before, after: before, free, others }
    yield* Effect.scoped(
      Effect.flatMap(open(file, { readonly: false, wal: true }), (own) =>
        Effect.zipRight(own.script("VACUUM"), own.script("PRAGMA wal_checkpoint(TRUNCATE)"))
      )
    )
    return { before, after: page * (yield* number("page_count")), free: 0, others }
  })
