import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { compile } from "../policy/path/Glob.ts"
import * as Ring from "./Ring.ts"
import type { FileChanged } from "./ToolEvent.ts"

/** A file that a tool has changed, by the tool's own word. */
export interface FileChange {
  /** Counts all changes; a slow watcher sees gaps. */
  readonly seq: number
  readonly path: string
  readonly change: FileChanged["change"]
  /** Where a renamed file was before. */
  readonly oldPath?: string
  /** Bytes after the change. */
  readonly size: number
  /** Epoch milliseconds. */
  readonly time: number
  readonly tool: string
  readonly callId: string
}

type Matches = (change: FileChange) => boolean

/** A pattern that cannot be used is a bug of who gives it: the defect is `GlobInvalid`. */
const matcher = (glob: string | undefined): Effect.Effect<Matches> =>
  glob === undefined || glob === ""
    ? Effect.succeed(() => true)
    : Effect.map(
        Effect.orDie(compile(glob)),
        (matches): Matches =>
          ({ oldPath, path }) =>
            matches(path) || (oldPath !== undefined && matches(oldPath))
      )

/** The changes that tools report; the disk is not watched. */
export class FileChanges extends Context.Tag("tollgate/tool/FileChanges")<
  FileChanges,
  {
    readonly report: (event: FileChanged) => Effect.Effect<void>
    /** From now on; with a glob those whose new or old path matches it. Ends with its consumer. */
    readonly following: (glob?: string) => Stream.Stream<FileChange>
    /** The newest `limit`, oldest first. */
    readonly recent: (options?: {
      readonly glob?: string
      readonly limit?: number
    }) => Effect.Effect<ReadonlyArray<FileChange>>
  }
>() {
  static readonly layer = (options: { readonly history?: number } = {}): Layer.Layer<FileChanges> =>
    Layer.sync(FileChanges, () => {
      const ring = Ring.make<FileChange>(Math.max(1, options.history ?? 256))
      let seq = 0
      return {
        report: ({ callId, change, oldPath, path, size, tool }) =>
          Effect.map(Clock.currentTimeMillis, (time) => {
            const moved = oldPath === undefined ? {} : { oldPath }
            ring.push({ seq: ++seq, path, change, ...moved, size, time, tool, callId })
          }),
        following: (glob) =>
          Stream.unwrap(Effect.map(matcher(glob), (matches) => Stream.filter(ring.following, matches))),
        recent: ({ glob, limit } = {}) =>
          Effect.map(matcher(glob), (matches) => {
            const found = ring.recent().filter(matches)
            return limit === undefined ? found : found.slice(Math.max(0, found.length - limit))
          })
      }
    })
}
