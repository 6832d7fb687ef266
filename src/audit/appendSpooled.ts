import * as fs from "node:fs"
import * as path from "node:path"
import { makeDirectory } from "../system/makeDirectory.ts"
import type { Spooled } from "./AuditSpool.ts"

/** Bytes of entries that may wait; with more, nothing is approved until they have been taken in. */
const maximumWaiting = 64 * 1024 * 1024

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = fs.constants

/** Takes an entry down; throws what the system says, and where too many wait. */
export const appendSpooled = (file: string, spooled: Spooled): void => {
  makeDirectory(path.dirname(file))
  const line = Buffer.from(`${JSON.stringify(spooled)}\n`)
  for (let attempt = 0; attempt < 10; attempt++) {
    const descriptor = fs.openSync(file, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, 0o600)
    try {
      const { ino, size } = fs.fstatSync(descriptor)
      if (size > maximumWaiting) throw new Error("too many entries wait to be put into the audit")
      if (fs.writeSync(descriptor, line) !== line.length) throw new Error("it could not be written as a whole")
      // Whoever takes the entries in moves the file away first: what was written behind that is written again.
      if (fs.statSync(file, { throwIfNoEntry: false })?.ino === ino) return
    } finally {
      fs.closeSync(descriptor)
    }
  }
  throw new Error("it was moved away again and again")
}
