import * as fs from "node:fs"
import { errnoOf, systemReason } from "../system/errno.ts"

/** Whether a descriptor leads nowhere: Node opens the null device in place of one that was closed. */
const isNowhere = (descriptor: number): boolean => {
  const found = fs.fstatSync(descriptor)
  return found.isCharacterDevice() && found.rdev === fs.statSync("/dev/null").rdev
}

/** Writes all of a text; why it could not, if so. */
const print = (text: string): string | undefined => {
  const bytes = Buffer.from(text)
  try {
    if (bytes.length > 0 && isNowhere(1)) return "standard output is closed"
  } catch (error) {
    return systemReason(error)
  }
  for (let at = 0; at < bytes.length;) {
    try {
      at += fs.writeSync(1, bytes, at)
    } catch (error) {
      if (errnoOf(error) !== "EAGAIN") return systemReason(error)
    }
  }
  return undefined
}

/** Ends the process in the way that every agent takes for a denial. */
export const refuse = (why: string): never => {
  try {
    fs.writeSync(2, `tollgate: The call is denied: ${why}\n`)
  } catch {
    // Nobody is there to be told.
  }
  return process.exit(2)
}

/**
 * Gives the agent its answer and ends the process with 0: agents take most other codes, and most of what is no answer, for leave to
 * go on. Where no answer can be written it ends with 2, which they take for a denial.
 */
export const conclude = (text: string): never => {
  const unwritten = print(text)
  return unwritten === undefined ? process.exit(0) : refuse(`its answer cannot be written: ${unwritten}.`)
}
