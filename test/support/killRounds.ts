// @effect-diagnostics asyncFunction:off newPromise:off globalRandom:off globalTimers:off - drives a real process from outside
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { bundled } from "./program.ts"
import { Sqlite } from "./Sqlite.ts"

export interface KillReport {
  readonly rounds: number
  readonly events: number
  readonly calls: number
  readonly unknown: number
  readonly unknownThatHappened: number
  readonly violations: ReadonlyArray<string>
}

const lines = (file: string): ReadonlyArray<ReadonlyArray<string>> =>
  fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => line.split(" "))

/** Starts the program on the folder and kills it without warning, a random moment after a random number of events. */
const killOnce = (program: string, folder: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, folder], { stdio: ["ignore", "pipe", "inherit"] })
    let left = Math.ceil(Math.random() * 200)
    child.stdout.on("data", (events: Buffer) => {
      if (left > 0 && (left -= events.length) <= 0) setTimeout(() => child.kill("SIGKILL"), Math.random() * 5)
    })
    child.once("exit", (code, signal) =>
      signal === "SIGKILL" ? resolve() : reject(new Error(`the program ended by itself with code ${code}`))
    )
  })

interface EventRow {
  readonly seq: number
  readonly tag: string
  readonly task_id: string | null
  readonly event: string
}

const check = (folder: string): Omit<KillReport, "rounds"> => {
  const violations: Array<string> = []
  const database = new Sqlite(path.join(folder, "victim.db"), { readonly: true })
  const events = database.all<EventRow>("SELECT seq, tag, task_id, event FROM events ORDER BY seq")
  if (database.values("PRAGMA integrity_check")[0] !== "ok") violations.push("the database is damaged")
  database.close()

  events.forEach(({ seq }, index) => {
    if (seq !== index + 1) violations.push(`event ${seq} stands at ${index + 1}`)
  })
  const tags = new Map(events.map(({ seq, tag }) => [String(seq), tag]))
  for (const [seq, tag] of lines(path.join(folder, "observed.log"))) {
    if (tags.get(seq ?? "") !== tag)
      violations.push(`a subscriber saw ${seq} ${tag}, the store has ${tags.get(seq ?? "")}`)
  }
  const happened = new Map<string, number>()
  const acts = new Set<string>()
  for (const [kind, callId = ""] of lines(path.join(folder, "effects.log"))) {
    happened.set(callId, (happened.get(callId) ?? 0) + 1)
    if (kind === "act") acts.add(callId)
  }
  for (const callId of acts) {
    if (happened.get(callId) !== 1) violations.push(`${callId} ran ${happened.get(callId)} times`)
  }
  const asked = new Set<string>()
  const results = new Map<string, string>()
  const open = new Set<string>()
  for (const { event: json, tag, task_id: task } of events) {
    const event = JSON.parse(json)
    if (tag === "ModelAnswered") for (const call of event.message.message.tool_calls ?? []) asked.add(call.id)
    if (/^ToolCall(?:Completed|Failed|Interrupted|OutcomeUnknown)$/.test(tag)) {
      if (results.has(event.callId)) violations.push(`${event.callId} has two results`)
      results.set(event.callId, tag)
    }
    if (tag === "TaskQueued" && task !== null) open.add(task)
    if (/^Task(?:Completed|Failed|Interrupted)$/.test(tag) && task !== null && !open.delete(task)) {
      violations.push(`${task} ended twice`)
    }
  }
  // The last round was cut off as well: what it left open is closed by the next owner, which is none.
  if (open.size > 1) violations.push(`${open.size} tasks are open`)
  for (const callId of acts) if (!asked.has(callId)) violations.push(`${callId} happened and nobody asked for it`)
  for (const [callId, tag] of results) {
    if (tag === "ToolCallCompleted" && !happened.has(callId)) violations.push(`${callId} completed and did not happen`)
    if (tag === "ToolCallInterrupted" && acts.has(callId))
      violations.push(`${callId} is said not to have happened and did`)
  }
  const unknown = [...results].filter(([, tag]) => tag === "ToolCallOutcomeUnknown").map(([callId]) => callId)
  return {
    events: events.length,
    calls: asked.size,
    unknown: unknown.length,
    unknownThatHappened: unknown.filter((callId) => acts.has(callId)).length,
    violations
  }
}

/** Kills a run with writes `rounds` times on the same database and says what is wrong afterwards. */
export const killRounds = async (rounds: number): Promise<KillReport> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "tollgate-kill-"))
  const program = await bundled("victim")
  try {
    for (let round = 0; round < rounds; round++) await killOnce(program.file, folder)
    return { rounds, ...check(folder) }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    program.remove()
  }
}
