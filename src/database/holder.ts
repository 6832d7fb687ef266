import * as fs from "node:fs"
import { isStopped } from "../system/isStopped.ts"
import { isGone } from "../system/Temporary.ts"
import * as Anchor from "./Anchor.ts"
import { DatabaseLocked } from "./DatabaseError.ts"

/** Any process with a lock on a file, where the system lists them. */
const lockerOf = (file: string, kind: "READ" | "WRITE", range: string): number | undefined => {
  if (!fs.existsSync("/proc/locks")) return undefined
  const { ino } = fs.statSync(file, { bigint: true })
  const held = new RegExp(`^\\d+: POSIX +ADVISORY +${kind} (\\d+) [0-9a-f]+:[0-9a-f]+:${ino} ${range}$`, "m")
  return Number(held.exec(fs.readFileSync("/proc/locks", "utf8"))?.[1] ?? 0) || undefined
}

/** Any process with SQLite's lock for writing, byte 120 of the shared memory. */
const locker = (file: string) => lockerOf(`${file}-shm`, "WRITE", "120 120")

/** Any process that has a database open: all share its 510 bytes behind the first GiB. */
export const inUseBy = (file: string) => lockerOf(file, "READ", "1073741826 1073742335")

/** The failure of a write that had to wait too long, with the process that holds it up: one that the anchor names, or any. */
export const nameHolder = (file: string): DatabaseLocked => {
  try {
    const writer = Anchor.read(file)?.writer
    const pid = writer === undefined || isGone(writer) ? locker(file) : writer
    return pid === undefined ? new DatabaseLocked({ file }) : new DatabaseLocked({ file, pid, stopped: isStopped(pid) })
  } catch {
    return new DatabaseLocked({ file })
  }
}
