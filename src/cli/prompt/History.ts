import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { Configuration } from "../../config/Configuration.ts"
import { Redactor } from "../../redaction/Redactor.ts"
import { systemReason } from "../../system/errno.ts"
import { makeDirectory } from "../../system/makeDirectory.ts"
import { replaceFile } from "../../system/replaceFile.ts"
import { many } from "../../ui/Words.ts"

/** Entries that are kept, and the bytes of a file from which on older ones are dropped. */
const kept = 500
const limit = 1024 * 1024

/** Characters of an entry; a longer one is recalled in this process only. */
const longest = 16 * 1024

/** What was typed at the prompts of one project. */
export interface History {
  /** The latest last. */
  readonly entries: ReadonlyArray<string>
  /** What could not be read. */
  readonly problem?: string
  /** Whether it is kept; a text that is too long is not. */
  readonly add: (text: string) => Effect.Effect<boolean, HistoryFailed>
}

/** The history could not be written. */
export class HistoryFailed extends Schema.TaggedError<HistoryFailed>()("HistoryFailed", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The history ${this.file} could not be written: ${this.reason}. What you type is recalled until you quit.`
  }
}

const decode = Schema.decodeUnknownEither(Schema.parseJson(Schema.String))
const lineOf = (text: string): string => `${JSON.stringify(text)}\n`

const read = (file: string): Omit<History, "add"> => {
  try {
    const lines = fs
      .readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
    const all = lines.map((line) => decode(line))
    const entries = all.flatMap((one) => (Either.isRight(one) ? [one.right] : [])).slice(-kept)
    const damaged = all.filter(Either.isLeft).length
    if (fs.statSync(file).size > limit || damaged > 0) replaceFile(file, entries.map(lineOf).join(""))
    return damaged === 0
      ? { entries }
      : { entries, problem: `${many(damaged, "damaged entry", "damaged entries")} of the history ${file} left out` }
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT"
    return isMissing ? { entries: [] } : { entries: [], problem: `no history: ${file}: ${systemReason(error)}` }
  }
}

/** The history of a project: a private file beside the database, to which each process appends whole lines without secrets. */
export const open = (project: string): Effect.Effect<History, never, Configuration> =>
  Effect.gen(function* () {
    const { home } = yield* Configuration
    const { text: redacted } = yield* Redactor
    const name = crypto.createHash("sha256").update(project).digest("hex").slice(0, 32)
    const file = path.join(path.dirname(home.database), "history", `${name}.jsonl`)
    return {
      ...read(file),
      add: (text) =>
        text.length > longest
          ? Effect.succeed(false)
          : Effect.try({
              try: () => {
                makeDirectory(path.dirname(file))
                fs.appendFileSync(file, lineOf(redacted(text)), { mode: 0o600 })
                return true
              },
              catch: (error) => new HistoryFailed({ file, reason: systemReason(error) })
            })
    }
  })
