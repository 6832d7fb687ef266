import * as fs from "node:fs"

/** Processes that a command may have; enough for a parallel build. */
export const spareProcesses = 1024

/**
 * The limit as `RLIMIT_NPROC` takes it: older kernels count all processes and threads of the user against it, so those that
 * there are come on top. The kernel does not hold root to it.
 */
export const processLimit = (): number => {
  const [, , , entities = ""] = fs.readFileSync("/proc/loadavg", "utf8").split(" ")
  return spareProcesses + Number(entities.split("/")[1] ?? 0)
}

/** A shell text that sets the limit and becomes the command that follows it: dash and bash name the limit differently. */
export const limited = (processes: number): ReadonlyArray<string> => [
  "/bin/sh",
  "-c",
  `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null; exec "$0" "$@"`
]
