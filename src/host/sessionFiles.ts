import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { directoryOf } from "../checkpoint/Checkpoints.ts"
import { Configuration } from "../config/Configuration.ts"
import { SessionFiles, SessionFilesFailed } from "../runtime/SessionFiles.ts"
import { errnoOf, systemReason } from "../system/errno.ts"
import { makeDirectory } from "../system/makeDirectory.ts"
import * as Spill from "../tool/Spill.ts"

/** The regular files of a directory; none where there is no directory. */
const filesOf = (directory: string): ReadonlyArray<string> => {
  try {
    return fs.readdirSync(directory, { withFileTypes: true }).flatMap((one) => (one.isFile() ? [one.name] : []))
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return []
    throw error
  }
}

const sizeOf = (directory: string): number =>
  filesOf(directory).reduce(
    (sum, name) => sum + (fs.lstatSync(path.join(directory, name), { throwIfNoEntry: false })?.size ?? 0),
    0
  )

/** A file under a second name; a copy of it where the file system has no such thing, and none of one that is gone. */
const link = (from: string, to: string): void => {
  try {
    fs.linkSync(from, to)
  } catch {
    if (!fs.existsSync(from)) return
    fs.copyFileSync(from, to, fs.constants.COPYFILE_EXCL)
    fs.chmodSync(to, 0o600)
  }
}

/** Does something about files, and says which one the system refused. */
const tried = (session: string, action: SessionFilesFailed["action"], directory: string, run: () => void) =>
  Effect.try({
    try: run,
    catch: (error) => {
      const named = typeof error === "object" && error !== null && "path" in error ? error.path : undefined
      const path = typeof named === "string" ? named : directory
      return new SessionFilesFailed({ session, action, path, reason: systemReason(error) })
    }
  })

/** What sessions of the user have on the disk: what their tools have replaced, and long results. */
export const layer: Layer.Layer<never, never, Configuration> = Layer.unwrapEffect(
  Effect.map(Configuration, ({ home }) => {
    const kept = (session: string) => directoryOf(home.checkpoints, session)
    const places = (session: string) => [kept(session), Spill.directoryOf(home.results, session)]
    return Layer.succeed(SessionFiles, {
      size: (session) =>
        Effect.map(
          Effect.forEach(places(session), (place) =>
            Effect.orElseSucceed(
              Effect.try(() => sizeOf(place)),
              () => 0
            )
          ),
          (sizes) => sizes.reduce((sum, size) => sum + size, 0)
        ),
      copy: (from, to) =>
        tried(from, "copy", kept(to), () => {
          // Those that begin with a dot are not finished.
          const names = filesOf(kept(from)).filter((name) => !name.startsWith("."))
          fs.rmSync(kept(to), { recursive: true, force: true })
          if (names.length > 0) makeDirectory(kept(to))
          for (const name of names) link(path.join(kept(from), name), path.join(kept(to), name))
        }),
      remove: (session) =>
        Effect.forEach(
          places(session),
          (place) => tried(session, "remove", place, () => fs.rmSync(place, { recursive: true, force: true })),
          { discard: true }
        )
    })
  })
)
