// @effect-diagnostics processEnv:off - tests hand their own environment to children
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs"
import { environment } from "../../src/process/Environment.ts"
import type { ProcessCommand } from "../../src/process/ProcessCommand.ts"
import { pause } from "../../src/process/RealClock.ts"

export const env = environment(process.env)

export const sh = (script: string, change: Partial<ProcessCommand> = {}): ProcessCommand => ({
  file: "sh",
  args: ["-c", script],
  cwd: "/tmp",
  env,
  ...change
})

export const node = (script: string, ...args: ReadonlyArray<string>): ProcessCommand =>
  sh("", { file: process.execPath, args: ["-e", script, ...args] })

/** Keeps nothing alive, whatever a test does: processes that carry the tag are killed when the scope closes. */
export const tagged = Effect.acquireRelease(
  Effect.sync(() => {
    const tag = randomUUID()
    return { tag, env: { ...env, TEST_TAG: tag }, living: () => livingWith(tag) }
  }),
  ({ tag }) => Effect.sync(() => livingWith(tag).forEach((pid) => process.kill(pid, "SIGKILL")))
)

const read = (file: string): string => {
  try {
    return fs.readFileSync(file, "latin1")
  } catch {
    return ""
  }
}

const pids = (): ReadonlyArray<number> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** `[state, parent, …]` of proc_pid_stat(5). */
const fields = (pid: number): ReadonlyArray<string> => {
  const text = read(`/proc/${pid}/stat`)
  return text.slice(text.lastIndexOf(")") + 2).split(" ")
}

const livingWith = (tag: string): ReadonlyArray<number> =>
  pids().filter((pid) => read(`/proc/${pid}/environ`).includes(tag) && !["Z", "X"].includes(fields(pid)[0] ?? "X"))

export const isAlive = (pid: number): boolean => !["Z", "X", ""].includes(fields(pid)[0] ?? "")

export const zombies = (): ReadonlyArray<number> =>
  pids().filter((pid) => fields(pid)[0] === "Z" && fields(pid)[1] === String(process.pid))

export const openDescriptors = (): number => fs.readdirSync("/proc/self/fd").length

/** A shell text that says `ready`, with its own process id, and sleeps for a week. */
export const stay = `sh -c 'echo "ready $$"; exec sleep 604800'`

/** The process ids that were said with `ready`. */
export const readyIn = (text: string): ReadonlyArray<number> =>
  [...text.matchAll(/^ready (\d+)$/gm)].map((match) => Number(match[1]))

/** Waits for what another process does; the test's own deadline bounds it. */
export const eventually = (condition: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (condition() ? Effect.void : Effect.zipRight(pause("5 millis"), eventually(condition))))
