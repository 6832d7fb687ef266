import * as fs from "node:fs"
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

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** The failure of a write that had to wait too long, with the process that the anchor says is writing. */
export const nameHolder = (file: string): DatabaseLocked => {
  try {
    const pid = Anchor.read(file)?.writer
    return pid === undefined || !lives(pid)
      ? new DatabaseLocked({ file })
      : new DatabaseLocked({ file, pid, stopped: isStopped(pid) })
  } catch {
    return new DatabaseLocked({ file })
  }
}
