import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import { errnoOf } from "../system/errno.ts"

/** Bytes of input that a child is given at most. */
export const stdinLimit = 16 * 1024 * 1024

const Reason = Schema.Literal(
  "no-program",
  "no-directory",
  "not-permitted",
  "too-large",
  "input-too-large",
  "not-held",
  "refused"
)

const advice: Readonly<Record<typeof Reason.Type, (failure: SpawnFailed) => string>> = {
  "no-program": ({ file }) =>
    file.includes("/")
      ? "there is no such program, or the interpreter that its first line names is missing. Check the path"
      : "the program is not on its PATH. Install it, or give its full path",
  "no-directory": ({ cwd }) => `its working directory ${cwd} does not exist. Create it, or choose another`,
  "not-permitted": () => "it is not executable. Check its permissions, and those of its working directory",
  "too-large": () =>
    "the command line is too long for the system (on Linux 128 KiB in one argument, a shell command is one). Put the long text into a file and name the file",
  "input-too-large": () => `its input is too large (${stdinLimit} bytes at most). Put it into a file and name the file`,
  "not-held": ({ code }) =>
    `what is protected and not there could not be kept from it (${code}). Check that the directories tollgate-sandbox-… in /tmp are your own and writable`,
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
export const spawnFailed = (
  { file, cwd }: { readonly file: string; readonly cwd: string },
  error: unknown
): SpawnFailed => {
  const code = errnoOf(error)
  return new SpawnFailed({ file, cwd, code, reason: reasonOf(code, cwd) })
}
