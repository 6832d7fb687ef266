import * as Effect from "effect/Effect"
import * as fs from "node:fs"

/** A process as the kernel lists it; `pid` and `start` together are never used twice. */
export interface Entry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** Clock ticks since boot. */
  readonly start: number
}

/** Whether the system lists its processes as files; elsewhere only process groups are known. */
export const available = fs.existsSync("/proc/self/stat")

// proc_pid_stat(5): the name stands in parentheses and may contain any character, so fields count from the last one.
const fieldsOf = (text: string): ReadonlyArray<string> => text.slice(text.lastIndexOf(")") + 2).split(" ", 20)

const parse = (pid: number, text: string): Entry | undefined => {
  const fields = fieldsOf(text)
  const [state, parent, group, session] = fields
  if (state === "Z" || state === "X") return undefined
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    start: Number(fields[19])
  }
}

const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** A line has at most 52 fields of 20 digits and a name of 64 bytes. */
const line = Buffer.alloc(2048)

const stat = (pid: number): string => {
  const descriptor = fs.openSync(`/proc/${pid}/stat`, "r")
  try {
    return line.toString("latin1", 0, fs.readSync(descriptor, line, 0, line.length, 0))
  } finally {
    fs.closeSync(descriptor)
  }
}

/** A process that has not ended; a zombie has. */
export const entry = (pid: number): Entry | undefined => attempt(() => parse(pid, stat(pid)))

/** When a process was started, in clock ticks since boot; a zombie still tells. */
export const startOf = (pid: number): number | undefined => attempt(() => Number(fieldsOf(stat(pid))[19]))

/** Whether the environment that the process was started with has this text. Of other users' processes it is unknown. */
export const carries = (pid: number, text: string): boolean =>
  attempt(() => fs.readFileSync(`/proc/${pid}/environ`).includes(text)) ?? false

/** Processes above one that are looked at. */
const highest = 64

/** Whether a process, or one that it descends from, was started with this text in its environment. */
export const descendsFrom = (pid: number, text: string, left = highest): boolean =>
  pid > 1 && left > 0 && (carries(pid, text) || descendsFrom(entry(pid)?.parent ?? 0, text, left - 1))

/** Bytes of memory that a process shares with no file, 0 where it is gone. */
export const memoryOf = (pid: number): number => {
  const status = attempt(() => fs.readFileSync(`/proc/${pid}/status`, "latin1")) ?? ""
  return 1024 * Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0)
}

const slice = 64

/** Every living process. Yields between slices to keep the event loop responsive. */
export const entries: Effect.Effect<ReadonlyArray<Entry>> = Effect.gen(function* () {
  const pids = attempt(() => fs.readdirSync("/proc"))?.filter((name) => /^\d+$/.test(name)) ?? []
  const found: Array<Entry> = []
  for (let from = 0; from < pids.length; from += slice) {
    if (from > 0) yield* Effect.yieldNow()
    for (const pid of pids.slice(from, from + slice)) {
      const one = entry(Number(pid))
      if (one) found.push(one)
    }
  }
  return found
})
