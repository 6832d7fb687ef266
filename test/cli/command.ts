// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalDate:off - drives real processes from outside
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { built } from "../support/built.ts"

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A home of its own for the command, and a directory to work in. */
export interface Place {
  readonly home: string
  readonly work: string
  readonly env: Readonly<Record<string, string>>
  readonly remove: () => void
}

/** Compiled code is the same for every home, and for all files of one run of the tests. */
const cache = path.join(os.tmpdir(), `tollgate-test-cache-${process.ppid}`)

export const place = (under = os.tmpdir()): Place => {
  const base = fs.realpathSync(fs.mkdtempSync(path.join(under, "tollgate-cli-")))
  const home = path.join(base, "home")
  const work = path.join(base, "work")
  fs.mkdirSync(home)
  fs.mkdirSync(work)
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    TOLLGATE_HOME: path.join(home, "tollgate"),
    XDG_CACHE_HOME: cache
  }
  return { home, work, env, remove: () => fs.rmSync(base, { recursive: true, force: true, maxRetries: 5 }) }
}

/** Writes a script of a model, and a configuration whose preferred profile plays it. */
export const scripted = (at: Place, turns: ReadonlyArray<unknown>, more: object = {}): void => {
  const script = path.join(at.home, "script.json")
  fs.writeFileSync(script, JSON.stringify({ turns }))
  fs.mkdirSync(at.env["TOLLGATE_HOME"]!, { recursive: true })
  const profiles = { test: { provider: "scripted", script, maxAttempts: 1 } }
  fs.writeFileSync(path.join(at.env["TOLLGATE_HOME"]!, "config.json"), JSON.stringify({ profiles, ...more }))
}

/** Keeps a home as it is now; what is returned puts it back, with nothing in the directory to work in. */
export const keep = (at: Place, name = "kept"): (() => void) => {
  const kept = `${at.home}-${name}`
  fs.cpSync(at.home, kept, { recursive: true, preserveTimestamps: true })
  return () => {
    for (const one of [at.home, at.work]) fs.rmSync(one, { recursive: true, force: true, maxRetries: 5 })
    fs.cpSync(kept, at.home, { recursive: true, preserveTimestamps: true })
    fs.mkdirSync(at.work)
  }
}

export interface Running {
  readonly pid: number | undefined
  readonly ended: Promise<Ended>
  readonly kill: (signal: NodeJS.Signals) => void
  /** Ends a standard input that was kept open. */
  readonly end: (input: string) => void
  /** Resolves once standard error or output has had this text. */
  readonly seen: (text: string) => Promise<void>
  /** Its standard output so far. */
  readonly said: () => string
}

/** Starts a program without a terminal; `input` ends its standard input, `null` keeps it open. */
export const startProgram = (
  at: Place,
  program: string,
  args: ReadonlyArray<string>,
  input: string | Buffer | null = "",
  env: object = {}
): Running => {
  const child = spawn(program, args, { cwd: at.work, env: { ...at.env, ...env } })
  let stdout = ""
  let stderr = ""
  const waiting = new Set<() => void>()
  const wake = () => waiting.forEach((look) => look())
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text
    wake()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text
    wake()
  })
  child.stdin.on("error", () => {})
  if (input !== null) child.stdin.end(input)
  return {
    pid: child.pid,
    ended: new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr }))),
    kill: (signal) => void child.kill(signal),
    end: (input) => void child.stdin.end(input),
    said: () => stdout,
    seen: (text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!stdout.includes(text) && !stderr.includes(text)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      })
  }
}

/** Starts the command in a process of its own, as {@link startProgram} does. */
export const start = async (
  at: Place,
  args: ReadonlyArray<string>,
  input: string | Buffer | null = "",
  env: object = {}
): Promise<Running> => startProgram(at, process.execPath, [await built(), ...args], input, env)

export const tollgate = async (
  at: Place,
  args: ReadonlyArray<string>,
  input: string | Buffer = "",
  env: object = {}
): Promise<Ended> => (await start(at, args, input, env)).ended

/** What a line of a shell does. */
export const shell = (at: Place, line: string, input: string | Buffer = "", env: object = {}): Promise<Ended> =>
  startProgram(at, "/bin/sh", ["-c", line], input, env).ended

/** The processes that have sessions of this place open. */
export const ownersOf = ({ env }: Place): ReadonlyArray<number> =>
  fs
    .readdirSync(path.join(env["TOLLGATE_HOME"]!, "tollgate.db-processes"))
    .flatMap((name) => /\d+/.exec(name)?.map(Number) ?? [])

/** Whether a text has the trace of a JavaScript stack. */
export const hasTrace = (text: string): boolean => /\n\s+at \S/.test(text)
