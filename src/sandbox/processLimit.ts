import * as fs from "node:fs"

/** Processes that a command may have; enough for a parallel build. */
export const spareProcesses = 1024

/**
 * The limit as `RLIMIT_NPROC` takes it: older kernels count all processes and threads of the user against it, so those that
 * there are come on top. The kernel does not hold root to it.
 */
export const processLimit = (): number => spareProcesses + present()

/** Existing processes and threads; 0 if the system does not tell, which makes the limit stricter. */
const present = (): number => {
  try {
    const [, , , entities = ""] = fs.readFileSync("/proc/loadavg", "utf8").split(" ")
    return Number(entities.split("/")[1] ?? 0)
  } catch {
    return 0
  }
}

/**
 * A shell text that sets the limit, runs the command that follows it and writes to descriptor 3 how many other processes of
 * its namespace live then. It waits for the command whatever signal comes, is silent itself, and starts nothing else.
 * Dash and bash name the limit differently.
 */
const script = (processes: number): string => `
exec 4>&2 2>/dev/null
trap : HUP INT TERM
ulimit -u ${processes} || ulimit -p ${processes}
(exec "$0" "$@" 2>&4 3>&- 4>&-)
code=$?
left=-2
for place in /proc/[0-9]*; do
  read -r status <"$place/stat" && case $status in *") Z "*) ;; *) left=$((left + 1)) ;; esac
done
[ $left -gt 0 ] && printf %s "$left" >&3
exit $code`

export const limited = (processes: number): ReadonlyArray<string> => ["/bin/sh", "-c", script(processes)]
