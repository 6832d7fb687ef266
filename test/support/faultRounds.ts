// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalDate:off - drives real processes from outside
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Ended, type Place, place, scripted, tollgate } from "../cli/command.ts"
import { database } from "../cli/stored.ts"
import { built } from "./built.ts"
import { Sqlite } from "./Sqlite.ts"

/** The events of a task at which a fault can strike; each has been acknowledged when it does. */
export const moments = [
  "TaskStarted",
  "ModelAnswered",
  "ToolCallStarted",
  "ToolCallCompleted",
  "TaskCompleted"
] as const
export type Moment = (typeof moments)[number]

const audit = (at: Place, name: string) => path.join(at.env["TOLLGATE_HOME"]!, "approvals", `audit.${name}`)

const statement = (at: Place, text: string): void => {
  const sqlite = new Sqlite(database(at))
  sqlite.exec(text)
  sqlite.close()
}

const flip = (file: string): void => {
  const bytes = fs.readFileSync(file)
  const place = Math.floor(bytes.length * 0.8)
  bytes[place] = (bytes[place] ?? 0) ^ 0xff
  fs.writeFileSync(file, bytes)
}

/** Zeroes a page in the middle of the database, once all of it is in its file. */
const zero = (at: Place): void => {
  statement(at, "PRAGMA wal_checkpoint(TRUNCATE)")
  const pages = Math.floor(fs.statSync(database(at)).size / 4096)
  const file = fs.openSync(database(at), "r+")
  fs.writeSync(file, Buffer.alloc(4096), 0, 4096, 4096 * Math.floor(pages / 2))
  fs.closeSync(file)
}

const homeOf = (at: Place) => at.env["TOLLGATE_HOME"]!
const filler = (at: Place) => path.join(homeOf(at), "filler")

/** Takes all room that is left where the home is. */
const fill = (at: Place): void => {
  for (let size = 1024 * 1024; size >= 1; size = Math.floor(size / 8)) {
    try {
      for (;;) fs.appendFileSync(filler(at), Buffer.alloc(size))
    } catch {
      // There is no room for so much.
    }
  }
}

const mount = (...args: ReadonlyArray<string>): void => void execFileSync("mount", args, { stdio: "pipe" })

/** A home of a few megabytes that is a disk of its own, which takes the rights of the superuser. */
const ownDisk = {
  before: (at: Place): void => {
    fs.mkdirSync(homeOf(at), { recursive: true })
    mount("-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", homeOf(at))
  },
  remove: (at: Place): void => void execFileSync("umount", ["-l", homeOf(at)], { stdio: "pipe" })
}

/** Connections that keep a database to themselves, by its file. */
const holders = new Map<string, Sqlite>()

interface Struck {
  readonly at: Place
  readonly child: ChildProcess
}

interface Fault {
  /** Makes the place one that the fault can strike, and takes that back in the end. */
  readonly before?: (at: Place) => void
  readonly remove?: (at: Place) => void
  /** The signal that the process gets at the moment; none where it goes on. */
  readonly signal?: NodeJS.Signals
  /** What happens at the moment, while the process runs. */
  readonly during?: (struck: Struck) => void
  /** What happens once it has ended, or has been stopped. */
  readonly after?: (at: Place) => void
  /** What puts an end to the fault, after which the next run can go on. */
  readonly mended?: (at: Place, pid: number) => void
  /** What the run says that meets the fault and not yet its end. */
  readonly names?: (pid: number) => string
  /** A limit of the shell that the process starts under. */
  readonly limit?: string
}

/** What a place and a process can meet with. */
export const faults: Readonly<Record<string, Fault>> = {
  "kill -9": { signal: "SIGKILL" },
  SIGTERM: { signal: "SIGTERM" },
  SIGHUP: { signal: "SIGHUP" },
  SIGSTOP: { signal: "SIGSTOP", names: String, mended: (_, pid) => void process.kill(pid, "SIGKILL") },
  "disk full": {
    ...ownDisk,
    during: ({ at }) => fill(at),
    names: () => "full",
    mended: (at) => fs.rmSync(filler(at), { force: true })
  },
  "home read-only": {
    ...ownDisk,
    signal: "SIGKILL",
    after: (at) => mount("-o", "remount,ro", homeOf(at)),
    names: () => "read-only",
    mended: (at) => mount("-o", "remount,rw", homeOf(at))
  },
  "database locked": {
    during: ({ at }) => {
      const holder = new Sqlite(database(at))
      holder.exec("BEGIN IMMEDIATE")
      holders.set(database(at), holder)
    },
    names: () => `locked by process ${process.pid}`,
    mended: (at) => {
      holders.get(database(at))?.close()
      holders.delete(database(at))
    }
  },
  "output closed": { during: ({ child }) => void child.stdout?.destroy() },
  "page zeroed": { signal: "SIGKILL", after: zero },
  "projection damaged": { signal: "SIGKILL", after: (at) => statement(at, "UPDATE sessions SET open = '{'") },
  "log cut": {
    signal: "SIGKILL",
    after: (at) => fs.truncateSync(`${database(at)}-wal`, fs.statSync(`${database(at)}-wal`).size - 9000)
  },
  "log flipped": { signal: "SIGKILL", after: (at) => flip(`${database(at)}-wal`) },
  "log deleted": { signal: "SIGKILL", after: (at) => fs.rmSync(`${database(at)}-wal`) },
  "database deleted": { signal: "SIGKILL", after: (at) => fs.rmSync(database(at)) },
  "database emptied": { signal: "SIGKILL", after: (at) => fs.truncateSync(database(at)) },
  "database deleted while open": { during: ({ at }) => fs.rmSync(database(at)) },
  "log deleted while open": { during: ({ at }) => fs.rmSync(`${database(at)}-wal`) },
  "row changed": {
    signal: "SIGKILL",
    after: (at) => statement(at, "UPDATE events SET event = replace(event, 'e', 'E') WHERE seq = 2")
  },
  "row deleted": {
    signal: "SIGKILL",
    after: (at) => statement(at, "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)")
  },
  "trigger deleted": { signal: "SIGKILL", after: (at) => statement(at, "DROP TRIGGER memories_added") },
  "audit cut": {
    signal: "SIGKILL",
    after: (at) => statement(at, "DROP TRIGGER audit_kept; DELETE FROM audit WHERE id = (SELECT max(id) FROM audit)")
  },
  "audit head deleted": { signal: "SIGKILL", after: (at) => fs.rmSync(audit(at, "head")) },
  "audit key deleted": { signal: "SIGKILL", after: (at) => fs.rmSync(audit(at, "key")) },
  "few descriptors": { limit: "ulimit -n 40" },
  "file size limit": { limit: "ulimit -f 300" }
}

const turns = [
  {
    when: "work",
    steps: [{ say: "Working." }, { call: { name: "run_shell", arguments: { command: "echo x >> happened" } } }]
  },
  { steps: [{ say: "Done." }] }
]

/** A home in which a session has come to its end, made once for all rounds. */
let earlier: Promise<Place> | undefined
const makeEarlier = async (): Promise<Place> => {
  const at = place()
  process.once("exit", at.remove)
  scripted(at, turns)
  await tollgate(at, ["run", "--dangerously-allow-all", "before"])
  return at
}

interface Seen {
  readonly seq: number
  readonly tag: string
}

/** The durable events that a run has printed, which are acknowledged. */
const acknowledged = (stdout: string): ReadonlyArray<Seen> =>
  stdout.split("\n").flatMap((line) => {
    try {
      const { event, seq, transient } = JSON.parse(line) as {
        readonly seq: number
        readonly transient?: boolean
        readonly event: { readonly _tag: string }
      }
      return transient === true ? [] : [{ seq, tag: event._tag }]
    } catch {
      return []
    }
  })

/** Runs a task, and lets the fault strike as soon as the moment was printed. */
const strike = async (
  at: Place,
  { during, limit, signal }: Fault,
  moment: Moment
): Promise<Ended & { readonly pid: number }> => {
  const words = ["run", "--jsonl", "--dangerously-allow-all", "work"]
  const command = [process.execPath, await built(), ...words]
  const child =
    limit === undefined
      ? spawn(command[0]!, command.slice(1), { cwd: at.work, env: at.env, stdio: ["ignore", "pipe", "pipe"] })
      : spawn("bash", ["-c", `${limit}; exec "$0" "$@"`, ...command], {
          cwd: at.work,
          env: at.env,
          stdio: ["ignore", "pipe", "pipe"]
        })
  let stdout = ""
  let stderr = ""
  let struck = false
  return new Promise((resolve) => {
    const ended = (code: number | null) => resolve({ code, stdout, stderr, pid: child.pid ?? 0 })
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      if (struck || !acknowledged(stdout).some(({ tag }) => tag === moment)) return
      struck = true
      during?.({ at, child })
      if (signal !== undefined) child.kill(signal)
      if (signal === "SIGSTOP") ended(null)
    })
    child.on("close", ended)
  })
}

const terminal = /^Task(?:Completed|Failed|Interrupted)$/
/** What a message must have besides the fact: a way on. */
const remedy =
  /(?:Restore|restore|remove|Wait|wait|end |Stop|kill|Free|free|move|--verify|\.recover|doctor|try again|Upgrade)/

/** Lets one fault strike at one moment, lets somebody go on afterwards, and answers the four questions. */
export const faultRound = async (name: string, moment: Moment): Promise<ReadonlyArray<string>> => {
  const fault = faults[name] ?? {}
  const at = place()
  const violations: Array<string> = []
  const say = (what: string) => violations.push(`${name} at ${moment}: ${what}`)
  try {
    fault.before?.(at)
    fs.cpSync(homeOf(await (earlier ??= makeEarlier())), homeOf(at), { recursive: true })
    scripted(at, turns)
    const first = await strike(at, fault, moment)
    const seen = acknowledged(first.stdout)
    fault.after?.(at)
    let next = await tollgate(at, ["run", "--continue", "--dangerously-allow-all", "after"])
    let met = ""
    if (fault.mended !== undefined) {
      const named = fault.names?.(first.pid) ?? ""
      if (next.code !== 0 && !next.stderr.includes(named)) say(`${named} is not named: ${next.stderr}`)
      met = next.stderr
      fault.mended(at, first.pid)
      next = await tollgate(at, ["run", "--continue", "--dangerously-allow-all", "after"])
      if (next.code !== 0) say(`nothing goes on once it is over: ${next.stderr}`)
    }
    const told = `${first.stderr}${first.code === 0 ? "" : first.stdout}${met}${next.stderr}`
    // Who closes a pipe is told nothing, as by any command.
    const isTold = first.code !== 0 && first.code !== null && first.code !== 141
    const failed = (isTold && fault.signal === undefined) || next.code !== 0
    const rows = ((): ReadonlyArray<Seen & { readonly task: string | null; readonly session: string }> => {
      if (!fs.existsSync(database(at))) return []
      const sqlite = new Sqlite(database(at), { readonly: true })
      try {
        return sqlite.all("SELECT seq, tag, task_id AS task, session_id AS session FROM events ORDER BY seq")
      } catch {
        return []
      } finally {
        sqlite.close()
      }
    })()
    const session = /"session":"([^"]+)"/.exec(first.stdout)?.[1]
    const kept = new Map(rows.filter((row) => row.session === session).map(({ seq, tag }) => [seq, tag]))
    const lost = seen.filter(({ seq, tag }) => kept.get(seq) !== tag)
    if (lost.length > 0 && !/tollgate: .*(?:lost|damaged|missing|deleted|full|failed)/.test(told)) {
      say(`${lost.length} acknowledged events are gone and nobody says so: ${told}`)
    }
    const happened = path.join(at.work, "happened")
    const times = fs.existsSync(happened) ? fs.readFileSync(happened, "utf8").trim().split("\n").length : 0
    if (times > 1) say(`the command ran ${times} times`)
    const task = rows.find((row) => row.session === session && row.tag === "TaskQueued")?.task
    const ends = rows.filter((row) => row.session === session && row.task === task && terminal.test(row.tag)).length
    if (ends > 1 || (ends === 0 && task !== undefined && next.code === 0)) say(`the task has ${ends} terminal events`)
    if (failed && !(told.includes("tollgate") && remedy.test(told))) say(`no way on is named: ${told}`)
    if (/\n\s+at \S+ \(/.test(told)) say(`a stack trace: ${told}`)
  } catch (error) {
    say(String(error))
  } finally {
    holders.get(database(at))?.close()
    fault.remove?.(at)
    at.remove()
  }
  return violations
}

/** Every fault at every moment. */
export const faultRounds = async (
  names: ReadonlyArray<string>,
  at: ReadonlyArray<Moment>,
  report: (line: string) => void = () => {}
): Promise<ReadonlyArray<string>> => {
  const violations: Array<string> = []
  for (const name of names) {
    for (const moment of at) {
      const found = await faultRound(name, moment)
      report(`${name} at ${moment}: ${found.length === 0 ? "ok" : found.join("; ")}`)
      violations.push(...found)
    }
  }
  return violations
}
