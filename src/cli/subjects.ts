import * as Either from "effect/Either"
import type * as Layer from "effect/Layer"
import { Subjects } from "../approval/Subject.ts"
import { resolve } from "../policy/path/PhysicalPath.ts"

/** What calls are about, in the files of this machine; a path that leads nowhere is what it says. */
export const subjects = (workspace: string): Layer.Layer<Subjects> =>
  Subjects.layer({
    cwd: workspace,
    resolve: (path) => Either.match(resolve(path), { onLeft: () => path, onRight: (found) => found.path }),
    isFile: (path) => Either.match(resolve(path), { onLeft: () => false, onRight: ({ kind }) => kind === "file" })
  })
