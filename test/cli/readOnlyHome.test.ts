// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off - drives real processes from outside
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { execFileSync, spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { built } from "../support/built.ts"
import { planned, tool } from "../mcp/support.ts"
import { type Ended, keep, type Place, place, scripted, tollgate } from "./command.ts"
import { sessionsOf } from "./stored.ts"

/** Somebody else than the superuser, whom no permission holds back. */
const nobody = 65_534

const homeOf = (at: Place): string => at.env["TOLLGATE_HOME"]!

describe("a home", () => {
  let at: Place
  let restore: () => void
  beforeAll(async () => {
    at = place()
    scripted(at, [
      { steps: [{ call: { name: "write_file", arguments: { path: "a.txt", content: "a" } } }] },
      { steps: [{ say: "All said." }] }
    ])
    assert.strictEqual((await tollgate(at, ["run", "--approve", "deny", "go"])).code, 0)
    restore = keep(at)
  })
  beforeEach(() => restore())
  afterAll(() => at.remove())

  /** Everything in the place belongs to whoever runs the commands, and nothing in the home can be written. */
  const lock = (): void => {
    fs.cpSync(at.env["XDG_CACHE_HOME"]!, path.join(at.home, "cache"), { recursive: true })
    const base = path.dirname(at.home)
    if (process.getuid?.() === 0) execFileSync("chown", ["-R", `${nobody}:${nobody}`, base])
    execFileSync("chmod", ["-R", "a-w", homeOf(at)])
  }
  const run = async (...args: ReadonlyArray<string>): Promise<Ended> => {
    const env = { ...at.env, XDG_CACHE_HOME: path.join(at.home, "cache"), TMPDIR: at.work }
    const user = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}
    const child = spawn(process.execPath, [await built(), ...args], { cwd: at.work, env, ...user })
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
    child.stdin.end()
    return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout, stderr })))
  }

  it("that is read-only can be read, and says so where more is asked (R12)", async () => {
    const id = sessionsOf(at)[0]?.id
    const recorded = (await tollgate(at, ["events", id!, "--jsonl"])).stdout
    const fix = planned(at.home, "fix", { tools: [tool("echo")] })
    const command = "command" in fix.known.server ? fix.known.server.command : []
    assert.strictEqual((await tollgate(at, ["mcp", "add", "fix", "--yes", "--", ...command])).code, 0)
    const before = fs.readdirSync(homeOf(at), { recursive: true, encoding: "utf8" }).sort()
    fs.writeFileSync(path.join(at.work, "recording.jsonl"), recorded)
    lock()
    const tour = await run("tour")
    assert.strictEqual(tour.code, 0, tour.stderr)
    assert.include(tour.stdout, `Nothing of the tour is kept: ${homeOf(at)} cannot be written to.`)
    assert.notInclude(tour.stdout, "Everything is recorded")
    assert.include((await run("sessions", "list")).stdout, "go")
    assert.include((await run("sessions", "show", id!)).stdout, "All said.")
    assert.strictEqual((await run("events", id!, "--jsonl")).stdout, recorded)
    assert.include((await run("replay", "recording.jsonl")).stdout, "All said.")
    assert.include((await run("approvals", "audit", "--verify")).stdout, "intact: 2 entries")
    assert.include((await run("tools")).stdout, "fix__echo")
    assert.match((await run("mcp", "list")).stdout, /fix +1 approved/)
    assert.include((await run("approvals", "list")).stdout, "No saved rules")
    assert.include((await run("trust", "list")).stdout, "No project is trusted.")
    assert.strictEqual((await run("policy", "explain", "shell", "ls")).code, 0)
    assert.strictEqual((await run("approvals", "explain", "fix__echo", "{}")).code, 0)
    const doctor = await run("doctor")
    assert.strictEqual(doctor.code, 4)
    assert.match(doctor.stdout, /✗ home .* is read-only[^]*export TOLLGATE_HOME=/)
    assert.match(doctor.stdout, /✓ sessions .*tollgate\.db, 1 session, \d+ events/)
    assert.match(doctor.stdout, /✓ audit .*intact, 2 entries/)
    const refused = await run("run", "go")
    assert.strictEqual(refused.code, 1)
    assert.match(refused.stderr, /tollgate\.db cannot be opened: .*TOLLGATE_HOME to another directory/)
    assert.deepStrictEqual(fs.readdirSync(homeOf(at), { recursive: true, encoding: "utf8" }).sort(), before)
    const left = fs.readdirSync(at.work).filter((name) => name.startsWith("tollgate-"))
    assert.deepStrictEqual(left, [], "no copy stays")
  })

  it.each(["approvals/audit.key", "approvals/audit.head", "tollgate.db-anchor", "script.json"])(
    "with a pipe in place of %s is told of it instead of waited for (R12)",
    async (name) => {
      const file = name === "script.json" ? path.join(at.home, name) : path.join(homeOf(at), name)
      fs.rmSync(file)
      execFileSync("mkfifo", [file])
      const { code, stderr } = await tollgate(at, ["run", "--approve", "deny", "go"])
      assert.notStrictEqual(code, 0)
      assert.include(stderr, path.basename(name))
      assert.match(stderr, /it is (?:not a file|a pipe)/)
      assert.match((await tollgate(at, ["doctor", "--offline"])).stdout, /✗ .*it is (?:not a file|a pipe)/)
    }
  )

  it("loses what killed processes left in it and beside a user's files at the next start, and keeps what is being written (R12)", async () => {
    const dead = spawnSync(process.execPath, ["-e", ""]).pid
    const hex = "0123456789abcdef01234567"
    // Others write in that of the machine at the same time.
    const tmp = path.join(at.home, "tmp")
    const notes = path.join(tmp, `tollgate-writing-${process.getuid?.() ?? 0}`)
    const below = path.join(at.work, "src")
    fs.mkdirSync(below)
    fs.mkdirSync(notes, { recursive: true, mode: 0o700 })
    const names = (pid: number) => [
      path.join(homeOf(at), "approvals", `audit.head.${pid}-${hex}.tmp`),
      path.join(homeOf(at), `tollgate.db-anchor.${pid}-${hex}.tmp`),
      path.join(homeOf(at), `tollgate.db.v1.0.backup.${pid}-${hex}.tmp`),
      path.join(below, `.tollgate-${pid}-${hex}.tmp`)
    ]
    const folder = (pid: number) => path.join(homeOf(at), `approvals.${pid}-${hex}.tmp`)
    for (const pid of [dead, process.pid]) {
      for (const file of names(pid)) fs.writeFileSync(file, "half")
      fs.mkdirSync(folder(pid))
      fs.writeFileSync(path.join(folder(pid), "audit.key"), "half")
      fs.symlinkSync(below, path.join(notes, `.tollgate-${pid}-${hex}.tmp`))
    }
    assert.strictEqual((await tollgate(at, ["run", "--approve", "allow-edits", "go"], "", { TMPDIR: tmp })).code, 0)
    assert.deepStrictEqual([...names(dead), folder(dead)].filter(fs.existsSync), [])
    assert.deepStrictEqual(
      [...names(process.pid), folder(process.pid)].filter((file) => !fs.existsSync(file)),
      []
    )
    assert.deepStrictEqual(fs.readdirSync(notes), [`.tollgate-${process.pid}-${hex}.tmp`])
    fs.rmSync(notes, { recursive: true })
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "a")
  })
})
