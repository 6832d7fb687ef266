import * as fs from "node:fs"

/**
 * Whether the process may use its terminal: a background job of a shell is stopped when it does. True where the system does not
 * say (https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html, fields 5 and 8).
 */
export const inForeground = (): boolean => {
  try {
    const status = fs.readFileSync("/proc/self/stat", "latin1")
    // The name of the program, in brackets, may hold anything.
    const [, , , group, , , owner] = status.slice(status.lastIndexOf(")") + 1).split(" ")
    return group === owner || owner === "-1" || owner === undefined
  } catch {
    return true
  }
}
