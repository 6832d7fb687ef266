import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as os from "node:os"
import type { ProcessCommand } from "./ProcessCommand.ts"
import type { Usage } from "./ProcessTree.ts"
import { now, pause } from "./RealClock.ts"
import { duration } from "../text/duration.ts"

/** What a command may use; beyond any limit it is ended with its processes. */
export interface Limits {
  /** From its start. */
  readonly time?: Duration.Duration
  /** Without output. */
  readonly idle?: Duration.Duration
  /** Bytes that it prints. */
  readonly output?: number
  /** Bytes of memory of all its processes, and of each alone. */
  readonly memory?: number
  readonly processes?: number
  /** Seconds of each of its processes. */
  readonly cpu?: number
}

export type Limit = keyof Limits

const mebibyte = 2 ** 20

/** For commands that run without approval: enough to read, little of the machine. */
export const unasked: Limits = {
  output: 16 * mebibyte,
  memory: Math.min(1024 * mebibyte, Math.floor(os.totalmem() / 4)),
  processes: 64,
  cpu: 60
}

/**
 * For commands that nobody approved and a sandbox holds, builds and tests among them: what a machine has to spare. How long they
 * compute is bounded by their time.
 */
export const confined: Limits = {
  output: 16 * mebibyte,
  memory: Math.floor((os.totalmem() * 3) / 4),
  processes: 1024
}

const bytes = (count: number): string => `${Math.floor(count / mebibyte)} MiB`

/** A limit in words, e.g. `60 s of CPU time`. */
export const describe = (limit: Limit, limits: Limits): string => {
  const { cpu = 0, idle = Duration.zero, memory = 0, output = 0, processes = 0, time = Duration.zero } = limits
  const words: Readonly<Record<Limit, string>> = {
    time: duration(Duration.toMillis(time)),
    idle: `${duration(Duration.toMillis(idle))} without output`,
    output: `${bytes(output)} of output`,
    memory: `${bytes(memory)} of memory`,
    processes: `${processes} processes`,
    cpu: `${cpu} s of CPU time`
  }
  return words[limit]
}

/**
 * The same command under kernel limits. One process may have twice the memory of the whole tree, because the tree is
 * only sampled; the end of CPU time is a signal that names it.
 */
export const enforced = (command: ProcessCommand, { cpu, memory }: Limits): ProcessCommand => {
  const settings = [
    "ulimit -c 0",
    ...(memory === undefined ? [] : [`ulimit -d ${Math.ceil((2 * memory) / 1024)}`]),
    ...(cpu === undefined ? [] : [`ulimit -S -t ${cpu}`, `ulimit -H -t ${cpu + 5}`])
  ]
  const script = `${settings.map((one) => `${one} 2>/dev/null`).join("; ")}; exec "$0" "$@"`
  return { ...command, file: "/bin/sh", args: ["-c", script, command.file, ...command.args] }
}

/** Milliseconds between two looks at what a command uses. */
const interval = 100

export interface Watched {
  readonly limits: Limits
  readonly usage: Effect.Effect<Usage>
  /** When it printed last, on the monotonic clock. */
  readonly printed: () => number
}

/** The first limit that a running command exceeds. */
export const watch = ({ limits, printed, usage }: Watched): Effect.Effect<Limit> => {
  const { idle, memory, processes, time } = limits
  const started = now()
  const millis = (limit: Duration.Duration | undefined): number =>
    limit === undefined ? Number.POSITIVE_INFINITY : Duration.toMillis(limit)
  const [longest, quietest] = [millis(time), millis(idle)]
  const measured = memory !== undefined || processes !== undefined
  return Effect.gen(function* () {
    while (true) {
      const at = now()
      const left = Math.min(started + longest, Math.max(started, printed()) + quietest) - at
      if (at - started >= longest) return "time"
      if (left <= 0) return "idle"
      if (measured) {
        const used = yield* usage
        if (memory !== undefined && used.memory > memory) return "memory"
        if (processes !== undefined && used.processes > processes) return "processes"
      }
      if (!measured && left === Number.POSITIVE_INFINITY) return yield* Effect.never
      yield* pause(Math.max(1, Math.min(left, measured ? interval : left)))
    }
  })
}
