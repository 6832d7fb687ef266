import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { Surroundings } from "../host/Surroundings.ts"
import { typed } from "../text/ShellWord.ts"
import { isWritable } from "./ReadOnlyHome.ts"

interface Taken {
  /** The home that cannot be written to. */
  readonly failed: string
  /** The user's own directory. */
  readonly user: string
  readonly env: Surroundings["Type"]["env"]
}

/** In a temporary directory that all share, anybody may have made what has our name. */
const isOwn = (directory: string): boolean => {
  const found = fs.lstatSync(directory, { throwIfNoEntry: false })
  return found === undefined || (found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid))
}

const canBe = (directory: string): boolean => {
  try {
    return isWritable(directory) && isOwn(directory)
  } catch {
    return false
  }
}

/** The command that lets Tollgate have a home which can be written to, in place of one that cannot; none where there is no such place. */
export const otherHome = ({ env, failed, user }: Taken): ReadonlyArray<string> => {
  const state = env["XDG_STATE_HOME"] ?? ""
  const places = [
    path.join(user, ".tollgate"),
    ...(path.isAbsolute(state) ? [path.join(state, "tollgate")] : []),
    path.join(os.tmpdir(), `tollgate-${process.getuid?.() ?? os.userInfo().username}`)
  ]
  const found = places.find((place) => path.resolve(place) !== path.resolve(failed) && canBe(place))
  return found === undefined ? [] : [`export TOLLGATE_HOME=${typed(found)}`]
}
