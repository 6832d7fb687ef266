import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import type { ProcessCommand } from "./ProcessCommand.ts"
import { stdinLimit } from "./ProcessCommand.ts"
import { errnoOf } from "../system/errno.ts"

const Reason = Schema.Literal("no-program", "no-directory", "not-permitted", "too-large", "refused")

const advice: Readonly<Record<typeof Reason.Type, (failure: SpawnFailed) => string>> = {
  "no-program": () => "the program is not on its PATH. Install it, or give its full path",
  "no-directory": ({ cwd }) => `its working directory ${cwd} does not exist. Create it, or choose another`,
  "not-permitted": () => "it is not executable. Check its permissions, and those of its working directory",
  "too-large": () => `its arguments, its environment or its input are too large (input: ${stdinLimit} bytes at most)`,
  refused: ({ code }) => `the system refused with ${code}. Check the limits on processes, memory and open files`
}

/** A child that never started. Holds neither arguments nor environment, which may be secret. */
export class SpawnFailed extends Schema.TaggedError<SpawnFailed>()("SpawnFailed", {
  file: Schema.String,
  cwd: Schema.String,
  /** As the system names it, e.g. `ENOENT`. */
  code: Schema.String,
  reason: Reason
}) {
  override get message() {
    return `Could not start ${this.file}: ${advice[this.reason](this)}.`
  }
}

const reasonOf = (code: string, cwd: string): typeof Reason.Type => {
  switch (code) {
    case "ENOENT":
    case "ENOTDIR":
      return fs.statSync(cwd, { throwIfNoEntry: false })?.isDirectory() ? "no-program" : "no-directory"
    case "EACCES":
    case "EPERM":
      return "not-permitted"
    case "E2BIG":
      return "too-large"
    default:
      return "refused"
  }
}

/** Why a command could not be started, from what the system threw. */
export const spawnFailed = ({ file, cwd }: ProcessCommand, error: unknown): SpawnFailed => {
  const code = errnoOf(error)
  return new SpawnFailed({ file, cwd, code, reason: reasonOf(code, cwd) })
}
