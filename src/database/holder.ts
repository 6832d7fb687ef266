import * as fs from "node:fs"
import { isGone } from "../policy/path/Temporary.ts"
import * as Anchor from "./Anchor.ts"
import { DatabaseLocked } from "./DatabaseError.ts"

/** Whether a process was stopped by a signal, where the system shows it. */
const isStopped = (pid: number): boolean => {
  try {
    return /^\d+ \(.*\) T/s.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

/** The failure of a write that had to wait too long, with the process that the anchor says is writing. */
export const nameHolder = (file: string): DatabaseLocked => {
  try {
    const pid = Anchor.read(file)?.writer
    return pid === undefined || isGone(pid)
      ? new DatabaseLocked({ file })
      : new DatabaseLocked({ file, pid, stopped: isStopped(pid) })
  } catch {
    return new DatabaseLocked({ file })
  }
}
