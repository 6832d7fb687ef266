import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as ChildProcess from "node:child_process"
import { systemPath } from "./Environment.ts"
import { until } from "./RealClock.ts"

/**
 * Reads `+ group` and `- group`. At the end of its input the runtime is gone: it then kills the groups that are left
 * and every process with the marker, and removes the runtime's private directory.
 */
const script = `
trap '' HUP INT TERM QUIT
groups=' '
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
for pass in 1 2 3 4 5 6 7 8 9 10; do
  found=$(grep -lsF "$1" /proc/[0-9]*/environ)
  [ -n "$found" ] || break
  for file in $found; do file=\${file%/environ}; kill -s KILL "\${file#/proc/}"; done
done
[ -z "$2" ] || rm -rf -- "$2"
`

/** A small process that outlives a runtime killed with SIGKILL just long enough to end its children. */
export interface Guardian {
  readonly watch: (group: number) => void
  readonly release: (group: number) => void
}

/**
 * `marker` begins a variable of every child's environment; `directory` is removed at the end. Starts with the first
 * group, and again with the next if it was lost; a system without `/bin/sh` has no guardian.
 */
export const make = (
  marker: string,
  directory: () => string | undefined
): Effect.Effect<Guardian, never, Scope.Scope> =>
  Effect.gen(function* () {
    const groups = new Set<number>()
    let guard: ChildProcess.ChildProcess | undefined

    const start = (): ChildProcess.ChildProcess => {
      const child = ChildProcess.spawn("/bin/sh", ["-c", script, "tollgate-guardian", marker, directory() ?? ""], {
        cwd: "/",
        env: { PATH: systemPath },
        detached: true,
        stdio: ["pipe", "ignore", "ignore"]
      })
      const lost = (): void => {
        if (guard === child) guard = undefined
      }
      child.on("error", lost).on("exit", lost)
      child.stdin?.on("error", lost)
      child.unref()
      return child
    }
    const tell = (change: "+" | "-", group: number): void => {
      guard?.stdin?.write(`${change} ${group}\n`)
    }
    const watch = (group: number): void => {
      groups.add(group)
      if (guard) return tell("+", group)
      try {
        guard = start()
      } catch {
        return
      }
      for (const each of groups) tell("+", each)
    }
    const release = (group: number): void => {
      groups.delete(group)
      tell("-", group)
    }
    yield* Effect.addFinalizer(() =>
      Effect.gen(function* () {
        const last = guard
        if (!last) return
        last.stdin?.end()
        const ended = Effect.sync(() => guard !== last)
        if (yield* until(ended, 2_000)) return
        last.kill("SIGKILL")
        yield* until(ended, 1_000)
      })
    )
    return { watch, release }
  })
