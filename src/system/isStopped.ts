import * as fs from "node:fs"

/** Whether a process was stopped by a signal (SIGSTOP, Ctrl-Z), where the system shows it. */
export const isStopped = (pid: number): boolean => {
  try {
    return /^\d+ \(.*\) T/s.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}
