import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import { Ids } from "./Ids.ts"

/** The whole of a result that was cut could not be kept. */
export class SpillFailed extends Schema.TaggedError<SpillFailed>()("SpillFailed", {
  path: Schema.String,
  cause: Schema.Defect
}) {
  override get message() {
    return `The whole result could not be written to ${this.path}. Check free space and the permissions of the directory.`
  }
}

export interface Spilled {
  /** Whose result it is; no other session may read it. */
  readonly session: string
  readonly tool: string
  readonly text: string
}

export interface SpillOptions {
  /** Created if missing, for its owner only; has a directory for each session. */
  readonly directory: string
  /** Beyond these the oldest files are removed. Default: 200 files and 256 MiB. */
  readonly maxFiles?: number
  readonly maxBytes?: number
  /** Applied to the kept text. Default: none. */
  readonly redact?: (text: string) => string
}

const suffix = ".result.txt"

/** Nothing of a name that the model chose gets into a path but letters and digits. */
const safe = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, "").slice(0, 40)

/** The directory of a session's results, under a name that no session id can lead out of. */
export const directoryOf = (directory: string, session: string): string =>
  `${directory}/${crypto.createHash("sha256").update(session).digest("hex").slice(0, 32)}`

interface Kept {
  readonly path: string
  readonly bytes: number
  readonly time: number
}

/** Keeps the whole of a result whose text was cut, where the model can page through it with `read_file`. */
export class Spill extends Context.Tag("tollgate/tool/Spill")<
  Spill,
  {
    /** Gives the path. */
    readonly keep: (spilled: Spilled) => Effect.Effect<string, SpillFailed>
  }
>() {
  static readonly layerDirectory = (
    options: SpillOptions
  ): Layer.Layer<Spill, never, FileSystem.FileSystem | Path.Path> => Layer.effect(Spill, make(options))
}

const make = Effect.fnUntraced(function* ({
  directory,
  maxBytes = 256 * 1024 * 1024,
  maxFiles = 200,
  redact = (text) => text
}: SpillOptions) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const ids = yield* Ids

  const earlier = Effect.gen(function* () {
    const names = yield* fs.readDirectory(directory, { recursive: true })
    // One that another process has removed by now is none.
    const [, found] = yield* Effect.partition(
      names.filter((name) => name.endsWith(suffix)),
      (name) => {
        const path = paths.join(directory, name)
        return Effect.map(fs.stat(path), ({ mtime, size }): Kept => ({
          path,
          bytes: Number(size),
          time: Option.match(mtime, { onNone: () => 0, onSome: (date) => date.getTime() })
        }))
      }
    )
    return found.sort((a, b) => a.time - b.time)
  }).pipe(Effect.orElseSucceed((): Array<Kept> => []))

  const known = yield* Effect.cached(earlier)
  const trim = Effect.map(known, (kept) => {
    let bytes = kept.reduce((sum, file) => sum + file.bytes, 0)
    const gone: Array<Kept> = []
    while (kept.length > 1 && (kept.length > maxFiles || bytes > maxBytes)) {
      const [oldest] = kept.splice(0, 1)
      if (oldest === undefined) break
      bytes -= oldest.bytes
      gone.push(oldest)
    }
    return gone
  }).pipe(
    Effect.flatMap((gone) => Effect.forEach(gone, ({ path }) => Effect.ignore(fs.remove(path)), { discard: true }))
  )

  return Spill.of({
    keep: Effect.fn("Spill.keep")(function* ({ session, text: whole, tool }: Spilled) {
      const text = redact(whole)
      const own = directoryOf(directory, session)
      const path = paths.join(own, `${yield* ids.next(safe(tool))}${suffix}`)
      const kept = yield* known
      yield* fs.makeDirectory(own, { recursive: true, mode: 0o700 }).pipe(
        Effect.zipRight(fs.writeFileString(path, text, { mode: 0o600 })),
        Effect.mapError((cause) => new SpillFailed({ path, cause }))
      )
      kept.push({ path, bytes: Buffer.byteLength(text), time: 0 })
      yield* trim
      return path
    })
  })
})
