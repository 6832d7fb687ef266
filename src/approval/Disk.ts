import * as Context from "effect/Context"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { resolve } from "../policy/path/PhysicalPath.ts"

/** The files that calls find; those of this machine by default. */
export class Disk extends Context.Reference<Disk>()("tollgate/approval/Disk", {
  defaultValue: (): DiskShape => local
}) {
  /** Of this machine; `ignoredBelow` says which directories below a root git ignores. */
  static readonly layerLocal = (ignoredBelow: NonNullable<DiskShape["ignoredBelow"]>): Layer.Layer<Disk> =>
    Layer.succeed(Disk, { ...local, ignoredBelow })
}

export interface DiskShape {
  /** Where an absolute path leads, links resolved; one that leads nowhere is what it says. */
  readonly resolve: (path: string) => string
  /** Whether a path is known to lead to a file, which has nothing below it. */
  readonly isFile: (path: string) => boolean
  /** Which paths git ignores, so that deleting what lies there is not destructive; none if unset. */
  readonly ignoredBelow?: (root: string) => (path: string) => boolean
}

/** The files of this machine. */
export const local: DiskShape = {
  resolve: (path) => Either.match(resolve(path), { onLeft: () => path, onRight: (found) => found.path }),
  isFile: (path) => Either.match(resolve(path), { onLeft: () => false, onRight: ({ kind }) => kind === "file" })
}

/** Where every path leads to itself and nothing is known to be a file. */
export const lexical: DiskShape = { resolve: (path) => path, isFile: () => false }
