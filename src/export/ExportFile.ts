import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import * as path from "node:path"
import { errnoOf, systemReason } from "../system/errno.ts"
import { syncDirectory } from "../system/syncDirectory.ts"
import { besideStem, note, temporaryName } from "../system/Temporary.ts"

/** The file of an export was not written; what was there is unchanged. */
export class ExportRefused extends Schema.TaggedError<ExportRefused>()("ExportRefused", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} was not written: ${this.reason}.`
  }
}

/** Why a file that is there is not the target. */
export const exists = "it already exists"

/** Why a file cannot be the target. */
const unfit = (file: string, overwrite: boolean): string | undefined => {
  const found = fs.lstatSync(file, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (!found.isFile()) return "it is not a regular file"
  return overwrite ? undefined : exists
}

const attempt = <A>(file: string, run: () => A): Effect.Effect<A, ExportRefused> =>
  Effect.try({
    try: run,
    catch: (error) =>
      new ExportRefused({
        file,
        reason: errnoOf(error) === "EEXIST" ? exists : systemReason(error)
      })
  })

/** Gives the whole file its name; one that is there already stays, unless it may be overwritten. */
const place = (fresh: string, file: string, overwrite: boolean): void => {
  if (overwrite) return fs.renameSync(fresh, file)
  try {
    fs.linkSync(fresh, file)
  } catch (error) {
    if (errnoOf(error) === "EEXIST") throw error
    // A file system without links: the name is taken first, and then given to the whole file.
    fs.closeSync(fs.openSync(file, "wx", 0o600))
    try {
      fs.renameSync(fresh, file)
    } catch (error) {
      fs.rmSync(file, { force: true })
      throw error
    }
  }
}

/** Writes a text into a file that only its owner reads: the whole or nothing, and over another only where that is wanted. */
export const write = <E, R>(
  file: string,
  text: Stream.Stream<string, E, R>,
  overwrite: boolean
): Effect.Effect<void, E | ExportRefused, R> =>
  Effect.gen(function* () {
    const fault = yield* attempt(file, () => unfit(file, overwrite))
    if (fault !== undefined) return yield* new ExportRefused({ file, reason: fault })
    const directory = path.dirname(file)
    const name = temporaryName(besideStem)
    const fresh = path.join(directory, name)
    const written = Effect.acquireUseRelease(
      attempt(file, () => fs.openSync(fresh, "wx", 0o600)),
      (opened) =>
        Effect.zipRight(
          Stream.runForEach(text, (piece) => attempt(file, () => fs.writeFileSync(opened, piece))),
          attempt(file, () => {
            fs.fsyncSync(opened)
            place(fresh, file, overwrite)
            syncDirectory(directory)
          })
        ),
      (opened) =>
        Effect.sync(() => {
          fs.closeSync(opened)
          fs.rmSync(fresh, { force: true })
        })
    )
    yield* Effect.acquireUseRelease(
      Effect.sync(() => note(directory, name)),
      () => written,
      (takeBack) => Effect.sync(takeBack)
    )
  })
