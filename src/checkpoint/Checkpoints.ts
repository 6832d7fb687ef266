import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { systemReason } from "../system/errno.ts"
import { makeDirectory } from "../system/makeDirectory.ts"
import { temporaryName } from "../system/Temporary.ts"

/** The contents that calls have replaced, by session. */
export interface CheckpointStore {
  /** Keeps a content; gives why it could not. */
  readonly keep: (session: string, sha256: string, bytes: Uint8Array) => Effect.Effect<string | undefined>
  /** A content that was kept; none where it is gone or not what it was. */
  readonly find: (session: string, sha256: string) => Effect.Effect<Option.Option<Uint8Array>>
}

export interface CheckpointOptions {
  /** Created if missing, for its owner only; has a directory for each session. */
  readonly directory: string
  /** Of one session; beyond these the contents that were replaced longest ago are removed. Default: 2000 files and 256 MiB. */
  readonly maxFiles?: number
  readonly maxBytes?: number
}

/** Keeps what the file tools replace, so that it can be brought back; nothing is kept where it is unset. */
export class Checkpoints extends Context.Reference<Checkpoints>()("tollgate/checkpoint/Checkpoints", {
  defaultValue: (): CheckpointStore | undefined => undefined
}) {
  static readonly layerDirectory = (options: CheckpointOptions): Layer.Layer<never> =>
    Layer.succeed(Checkpoints, make(options))
}

/** The directory of a session, under a name that no session id can lead out of. */
export const directoryOf = (directory: string, session: string): string =>
  path.join(directory, crypto.createHash("sha256").update(session).digest("hex").slice(0, 32))

interface Kept {
  readonly name: string
  readonly bytes: number
  readonly time: number
}

const isDigest = (name: string): boolean => /^[0-9a-f]{64}$/.test(name)

const keptIn = (directory: string): Array<Kept> =>
  fs
    .readdirSync(directory)
    .filter(isDigest)
    .flatMap((name) => {
      const found = fs.lstatSync(path.join(directory, name), { throwIfNoEntry: false })
      return found === undefined ? [] : [{ name, bytes: found.size, time: found.mtimeMs }]
    })
    .sort((a, b) => a.time - b.time)

export const make = ({
  directory,
  maxBytes = 256 * 1024 * 1024,
  maxFiles = 2000
}: CheckpointOptions): CheckpointStore => {
  /** What each session has, once it was counted. */
  const sizes = new Map<string, { files: number; bytes: number }>()

  const put = (own: string, sha256: string, bytes: Uint8Array, seconds: number): void => {
    const file = path.join(own, sha256)
    if (!fs.existsSync(file)) {
      const fresh = temporaryName(path.join(own, "."))
      try {
        fs.writeFileSync(fresh, bytes, { mode: 0o600, flag: "wx", flush: true })
        fs.renameSync(fresh, file)
      } finally {
        fs.rmSync(fresh, { force: true })
      }
      const size = sizes.get(own)
      if (size !== undefined) sizes.set(own, { files: size.files + 1, bytes: size.bytes + bytes.length })
    }
    // What is replaced again is needed as long as what was replaced now.
    fs.utimesSync(file, seconds, seconds)
  }
  const trim = (own: string): void => {
    const known = sizes.get(own)
    if (known !== undefined && known.files <= maxFiles && known.bytes <= maxBytes) return
    const kept = keptIn(own)
    let bytes = kept.reduce((sum, one) => sum + one.bytes, 0)
    while (kept.length > maxFiles || bytes > maxBytes) {
      const oldest = kept.shift()
      if (oldest === undefined) break
      fs.rmSync(path.join(own, oldest.name), { force: true })
      bytes -= oldest.bytes
    }
    sizes.set(own, { files: kept.length, bytes })
  }

  return {
    keep: (session, sha256, bytes) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        if (bytes.length > maxBytes) return "it is too large"
        const own = directoryOf(directory, session)
        try {
          makeDirectory(own)
          put(own, sha256, bytes, now / 1000)
          trim(own)
          return undefined
        } catch (error) {
          return systemReason(error)
        }
      }),
    find: (session, sha256) =>
      Effect.sync(() => {
        if (!isDigest(sha256)) return Option.none()
        try {
          const bytes = fs.readFileSync(path.join(directoryOf(directory, session), sha256))
          return crypto.createHash("sha256").update(bytes).digest("hex") === sha256 ? Option.some(bytes) : Option.none()
        } catch {
          return Option.none()
        }
      })
  }
}
