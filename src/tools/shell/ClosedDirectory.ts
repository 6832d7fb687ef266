import * as fs from "node:fs"
import { type BytePath, fromText, onDisk, within } from "./BytePath.ts"
import { errnoOf } from "../../system/errno.ts"

/** Linux's O_PATH (asm-generic/fcntl.h): a descriptor that needs no right to what it names. */
const O_PATH = 0x20_0000
const { O_DIRECTORY = 0, O_NOFOLLOW = 0 } = fs.constants

const here = fromText(".")

/** Nothing is there to be looked into any more. */
const gone: ReadonlySet<string> = new Set(["ENOENT", "ENOTDIR"])

/**
 * Visits the entries of a directory until `visit` says no. Gives the system's code where they cannot be known: also where names
 * can be listed, but nothing behind them can be looked at.
 */
export const visitEntries = (directory: BytePath, visit: (entry: fs.Dirent<Buffer>) => boolean): string | undefined => {
  try {
    const place = onDisk(directory)
    // The types of Node know no other encoding than that of texts here.
    const opened = fs.opendirSync(place as unknown as string, { bufferSize: 512, encoding: "buffer" as BufferEncoding })
    try {
      fs.lstatSync(onDisk(within(directory, here)))
      for (let entry = opened.readSync(); entry !== null; entry = opened.readSync()) {
        if (!visit(entry as unknown as fs.Dirent<Buffer>)) return undefined
      }
      return undefined
    } finally {
      opened.closeSync()
    }
  } catch (cause) {
    const code = errnoOf(cause)
    return gone.has(code) ? undefined : code
  }
}

const changeMode = (directory: BytePath, mode: number): void => {
  if (process.platform !== "linux") return fs.lchmodSync(onDisk(directory), mode)
  // No call changes the mode of a name without following it; through a descriptor nothing is followed.
  const descriptor = fs.openSync(onDisk(directory), O_PATH | O_DIRECTORY | O_NOFOLLOW)
  try {
    fs.chmodSync(`/proc/self/fd/${descriptor}`, mode)
  } finally {
    fs.closeSync(descriptor)
  }
}

/** Gives the user all rights to a directory of his own, and says whether any was missing and now is there. */
export const reopen = (directory: BytePath): boolean => {
  try {
    const found = fs.lstatSync(onDisk(directory))
    if (!found.isDirectory() || found.uid !== process.geteuid?.() || (found.mode & 0o700) === 0o700) return false
    changeMode(directory, (found.mode & 0o7777) | 0o700)
    return true
  } catch {
    return false
  }
}
