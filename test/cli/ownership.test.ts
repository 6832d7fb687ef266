// @effect-diagnostics asyncFunction:off newPromise:off processEnv:off globalDate:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { until } from "../support/until.ts"
import { type Ended, type Place, place, type Running, scripted, start, tollgate } from "./command.ts"
import { sessionsOf, tagsOf } from "./stored.ts"

/** A write that begins at once and ends when the file `go` is there. */
const command = "echo x >> begun; while [ ! -e go ]; do sleep 0.05; done; echo x >> done"
const turns = [
  { when: "wait", steps: [{ call: { name: "run_shell", arguments: { command } } }] },
  { steps: [{ say: "Done." }] }
]
const outcome = /^ToolCall(?:Completed|Failed|Interrupted|OutcomeUnknown)$/

describe("a database whose shared memory is removed while a process has it open", () => {
  it("is refused to others until that process ends, and loses nothing of what it stores (R9, R12)", async () => {
    const at = place()
    scripted(at, [{ repeat: true, steps: [{ say: "Done." }] }])
    const first = await start(at, ["run", "--input-format", "jsonl"], null)
    try {
      await first.seen("SessionCreated")
      fs.rmSync(path.join(at.env["TOLLGATE_HOME"]!, "tollgate.db-shm"))
      const call = { tool_name: "Bash", tool_input: { command: "ls" }, cwd: at.work, hook_event_name: "PreToolUse" }
      for (const [args, input] of [
        [["run", "hello"], ""],
        [["sessions", "list"], ""],
        [["hook", "claude"], JSON.stringify({ ...call, session_id: "s" })]
      ] as const) {
        const { stderr, stdout } = await tollgate(at, args, input)
        assert.include(`${stdout}${stderr}`, `tollgate.db-shm was removed while process ${first.pid} had`)
      }
      first.end(JSON.stringify({ _tag: "SubmitPrompt", prompt: "hello" }))
      const { code, stderr } = await first.ended
      assert.strictEqual(code, 0, stderr)
      assert.lengthOf(sessionsOf(at), 1)
      const page = await tollgate(at, ["doctor", "--offline"])
      assert.strictEqual(page.code, 0, page.stdout)
    } finally {
      first.kill("SIGKILL")
      await first.ended
      at.remove()
    }
  })
})

describe("two processes on one session", () => {
  let at: Place
  let running: Array<Running>
  beforeEach(() => {
    at = place()
    running = []
    scripted(at, turns)
  })
  afterEach(async () => {
    for (const one of running) one.kill("SIGKILL")
    await Promise.all(running.map(({ ended }) => ended))
    at.remove()
  })

  const begin = async (...args: ReadonlyArray<string>): Promise<Running> => {
    const one = await start(at, ["run", "--dangerously-allow-all", ...args])
    running.push(one)
    return one
  }
  /** Resolves once the command has begun; its own text is shown before. */
  const begun = () =>
    until(() => {
      const file = path.join(at.work, "begun")
      return fs.existsSync(file) && fs.statSync(file).size > 0
    })
  const go = () => fs.writeFileSync(path.join(at.work, "go"), "")
  const lines = (file: string) => fs.readFileSync(path.join(at.work, file), "utf8").trim().split("\n").length
  const processes = () => fs.readdirSync(path.join(at.env["TOLLGATE_HOME"]!, "tollgate.db-processes"))
  const refused = ({ code, stderr }: Ended, id: string, pid: number | undefined) => {
    assert.strictEqual(code, 1, stderr)
    assert.include(stderr, `Session ${id} is open in process ${pid}`)
    assert.match(stderr, new RegExp(`take it over by t: tollgate --session (?:${id}|SESSION)`))
  }

  it("leaves it to the living one, stopped or not, whose call has one outcome (R9, R4)", async () => {
    const owner = await begin("wait")
    await begun()
    const id = sessionsOf(at)[0]!.id
    refused(await (await begin("--session", id, "again")).ended, id, owner.pid)
    refused(await (await begin("--continue", "again")).ended, id, owner.pid)
    owner.kill("SIGSTOP")
    refused(await (await begin("--session", id, "again")).ended, id, owner.pid)
    owner.kill("SIGCONT")
    for (const args of [
      ["sessions", "show", id],
      ["approvals", "list"]
    ])
      assert.strictEqual((await tollgate(at, args)).code, 0, args.join(" "))
    go()
    assert.strictEqual((await owner.ended).code, 0)
    assert.strictEqual(lines("done"), 1)
    const seen = tagsOf(at)
    assert.deepStrictEqual(
      seen.filter((tag) => outcome.test(tag)),
      ["ToolCallCompleted"]
    )
    assert.notInclude(seen, "SessionResumed")
    assert.strictEqual((await (await begin("--continue", "again")).ended).code, 0)
    assert.deepStrictEqual(processes(), [])
  })

  it("gives it to the next at once after kill -9, and of two to one (R9, R4)", async () => {
    const owner = await begin("wait")
    await begun()
    const id = sessionsOf(at)[0]!.id
    owner.kill("SIGKILL")
    await owner.ended
    const first = await begin("--session", id, "wait")
    const second = await begin("--session", id, "wait")
    const [winner, loser] = await Promise.race([
      first.ended.then((ended) => [second, ended] as const),
      second.ended.then((ended) => [first, ended] as const)
    ])
    refused(loser, id, winner.pid)
    go()
    assert.strictEqual((await winner.ended).code, 0)
    const seen = tagsOf(at)
    assert.strictEqual(seen.filter((tag) => tag === "SessionResumed").length, 1)
    assert.deepStrictEqual(
      seen.filter((tag) => outcome.test(tag)),
      ["ToolCallOutcomeUnknown", "ToolCallCompleted"]
    )
    assert.strictEqual(lines("begun"), 2)
    assert.deepStrictEqual(processes(), [])
  })

  it("goes on by any unique beginning of its id, and names the candidates of another (R2)", async () => {
    for (const prompt of ["one", "two"]) assert.strictEqual((await (await begin(prompt)).ended).code, 0)
    const [short = ""] = (await tollgate(at, ["sessions", "list"])).stdout.split(" ")
    for (const beginning of [short, short.slice("session_".length)]) {
      const { code, stderr } = await (await begin("--session", beginning, "more")).ended
      assert.strictEqual(code, 0, stderr)
    }
    for (const args of [
      ["run", "--session", "session_", "hi"],
      ["sessions", "show", "session_"],
      ["events", "session_"]
    ]) {
      const { code, stderr } = await tollgate(at, args)
      assert.strictEqual(code, 1)
      assert.match(stderr, /Several sessions begin with session_;.*\n {2}session_\w+ {2}two\n {2}session_\w+ {2}one/)
    }
  })

  it.each([["--profile", "nope"], []])("makes none for a profile that is not there: %j (R10)", async (...args) => {
    if (args.length === 0) scripted(at, turns, { profile: "nope" })
    const { code, stderr } = await (await begin(...args, "hi")).ended
    assert.strictEqual(code, 4)
    assert.include(stderr, "Unknown model profile nope. Known: test.")
    assert.strictEqual((await tollgate(at, ["sessions", "list", "--jsonl"])).stdout, "")
  })
})
