import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as PathContext from "../policy/path/PathContext.ts"
import { isWithin } from "../policy/path/PathText.ts"
import { reclaimNoted } from "../system/Temporary.ts"

export interface WorkspaceOptions {
  /** Where the user started; relative paths begin here. */
  readonly root: string
  readonly extraRoots?: ReadonlyArray<string>
  /** Our own configuration and state. */
  readonly stateDirs?: ReadonlyArray<string>
  /** Directories that may be read and not changed, wherever they are. */
  readonly readable?: ReadonlyArray<string>
  readonly home: string
  /** Whether a person has trusted what is in it. */
  readonly trusted: boolean
}

/** The directories that tools may touch; no argument can widen them. */
export class Workspace extends Context.Tag("tollgate/tools/Workspace")<
  Workspace,
  {
    readonly context: PathContext.PathContext
    /** Physical and absolute. */
    readonly root: string
    /** A path as people know it: relative to the root where it is inside. */
    readonly shown: (path: string) => string
  }
>() {
  static readonly layer = (options: WorkspaceOptions): Layer.Layer<Workspace, PathContext.BoundaryInvalid> =>
    Layer.effect(
      Workspace,
      Effect.map(
        Effect.zipRight(
          Effect.sync(reclaimNoted),
          PathContext.make({
            cwd: options.root,
            roots: [options.root, ...(options.extraRoots ?? [])],
            home: options.home,
            trusted: options.trusted,
            stateDirs: options.stateDirs ?? [],
            readable: options.readable ?? []
          })
        ),
        (context) => ({ context, root: context.cwd, shown: shownFrom(context.cwd) })
      )
    )
}

const shownFrom =
  (root: string) =>
  (path: string): string =>
    path === root ? "." : isWithin(path, root) ? path.slice(root.length + 1) : path
