import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { systemReason } from "../system/errno.ts"
import type { Timed } from "./AuditChain.ts"

/**
 * Entries of the audit that were taken down by a process too short to open the database. Each is written before what it is
 * about goes on, so that the end of its process loses none; whoever opens the audit next puts them into the chain.
 */
export const spoolOf = (database: string): string => path.join(path.dirname(database), "hooks", "audit.jsonl")

const text = Schema.NullOr(Schema.String)
const optionalText = Schema.optionalWith(text, { exact: true })

/** An entry as it waits, under an id by which it enters the chain once. */
export const Spooled = Schema.Struct({
  id: Schema.String,
  time: Schema.Number,
  entry: Schema.Struct({
    kind: Schema.Literal("automatic"),
    session: Schema.String,
    worker: Schema.optionalWith(Schema.Array(Schema.String), { exact: true }),
    tool: optionalText,
    call: optionalText,
    decision: Schema.optionalWith(Schema.NullOr(Schema.Literal("approve", "deny")), { exact: true }),
    outcome: optionalText,
    decided_by: optionalText,
    reason: optionalText,
    arguments: text
  })
})
export type Spooled = typeof Spooled.Type

/** An entry as the chain takes it; its id is where that of a request would be. */
const timedOf = ({ entry, id, time }: Spooled): Timed => ({ time, entry: { ...entry, approval: id } })

export const newId = (): string => `hook_${crypto.randomBytes(12).toString("hex")}`

const decodeLine = Schema.decodeUnknownOption(Schema.parseJson(Spooled))

/** The entries of a file that was moved away, those that can be read, and how many lines cannot. */
const readAway = (file: string): { readonly found: ReadonlyArray<Spooled>; readonly unread: number } => {
  const lines = fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
  const found = lines.flatMap((line) => Option.toArray(decodeLine(line)))
  return { found, unread: lines.length - found.length }
}

const aside = ".taken-"

/** Whether any entry waits. */
export const isWaiting = (file: string): boolean => {
  try {
    return fs.readdirSync(path.dirname(file)).some((name) => name.startsWith(path.basename(file)))
  } catch {
    return false
  }
}

/** The files with entries that wait, moved aside so that nothing is added to them; throws what the system says. */
const moved = (file: string): ReadonlyArray<string> => {
  const directory = path.dirname(file)
  if (!fs.existsSync(directory)) return []
  if (fs.existsSync(file)) fs.renameSync(file, `${file}${aside}${crypto.randomBytes(6).toString("hex")}`)
  return fs
    .readdirSync(directory)
    .filter((name) => name.startsWith(`${path.basename(file)}${aside}`))
    .map((name) => path.join(directory, name))
}

/** The spool cannot be taken in; its entries stay where they are. */
export class SpoolUnread extends Schema.TaggedError<SpoolUnread>()("SpoolUnread", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `What hooks recorded in ${this.file} cannot be put into the audit: ${this.reason}`
  }
}

/** Entries that are put into the chain at once, which holds up everything else. */
const mostAtOnce = 1000

/**
 * Puts the entries that wait into the chain by `append`, oldest first, and removes them then. `known` says which of their ids are in it
 * already, for a process may have ended in between.
 */
export const takeIn = <E>(
  file: string,
  known: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, E>,
  append: (entries: ReadonlyArray<Timed>) => Effect.Effect<void, E>
): Effect.Effect<number, E | SpoolUnread> => {
  const attempt = <A>(run: () => A) =>
    Effect.try({ try: run, catch: (error) => new SpoolUnread({ file, reason: systemReason(error) }) })
  return Effect.gen(function* () {
    let taken = 0
    for (const one of yield* attempt(() => moved(file))) {
      const { found, unread } = yield* attempt(() => readAway(one))
      const ids = yield* known(found.map(({ id }) => id))
      const fresh = [...new Map(found.map((one) => [one.id, one])).values()].filter(({ id }) => !ids.has(id))
      for (const page of Arr.chunksOf(fresh, mostAtOnce)) yield* append(page.map(timedOf))
      taken += fresh.length
      if (unread > 0)
        yield* Effect.logWarning(`${unread} lines of ${one} are no entries of the audit and were left out`)
      yield* attempt(() => fs.rmSync(one, { force: true }))
    }
    return taken
  })
}
