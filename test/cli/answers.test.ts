// @effect-diagnostics asyncFunction:off - drives real processes and terminals from outside
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { built } from "../support/built.ts"
import { keep, ownersOf, type Place, place, scripted, start, tollgate } from "./command.ts"
import { decisionsOf, type Requested, requestOf } from "./stored.ts"
import { probes } from "./terminal/TerminalProbe.ts"

const write = { call: { name: "write_file", arguments: { path: "a.txt", content: "one\n" } } }
const me = os.userInfo().username

interface Listed extends Requested {
  readonly answered?: { readonly decision: string; readonly by: string }
}

describe("an approval answered elsewhere", () => {
  let at: Place
  let empty: () => void
  let left: () => void
  beforeAll(async () => {
    at = place()
    scripted(at, [{ steps: [write] }, { steps: [{ say: "Written." }] }], { approvals: { timeout: "10 minutes" } })
    empty = keep(at)
    const prompt = JSON.stringify({ _tag: "SubmitPrompt", prompt: "write" })
    assert.strictEqual((await tollgate(at, ["run", "--input-format", "jsonl"], `${prompt}\n`)).code, 3)
    left = keep(at, "left")
  })
  beforeEach(() => empty())
  afterAll(() => at.remove())
  const { open } = probes(() => at)
  const approvals = (...args: ReadonlyArray<string>) => tollgate(at, ["approvals", ...args])
  const isWritten = () => fs.existsSync(path.join(at.work, "a.txt"))

  it("is listed and shown whole, counts by its digest alone and once, and ends the prompt that says who answered (A5, A10, A15)", async () => {
    const terminal = await open(["run", "write"], { columns: 100 })
    await terminal.seen(/allow\?.*y allow once/)
    const { digest, id, sessionId } = requestOf(at)!
    const short = id.replace("approval_", "").slice(0, 8)
    const { stdout: list } = await approvals("list")
    for (const part of [short, sessionId.slice(0, 16), "write_file", "medium"]) assert.include(list, part)
    const { stdout: shown } = await approvals("show", short)
    for (const part of [digest, id, "one", "a.txt"]) assert.include(shown, part)

    for (const [args, code, said] of [
      [["ffff", "yes", "--digest", digest], 1, "No request begins with ffff"],
      [[short, "yes"], 3, "give --digest"],
      [[short, "yes", "--digest", "0".repeat(64)], 1, "digest is not that of the request"],
      [[short, "perhaps"], 2, "yes or no"]
    ] as const) {
      const ended = await approvals("answer", ...args)
      assert.include(ended.stderr, said)
      assert.strictEqual(ended.code, code, said)
    }
    const inside = await tollgate(at, ["approvals", "answer", short, "no"], "", { TOLLGATE_PROCESS: "1.1." })
    assert.include(inside.stderr, "cannot answer requests")
    const own = `"${process.execPath}" "${await built()}" approvals answer ${short} no`
    const cleared = spawnSync("/bin/sh", ["-c", `env -i HOME="$HOME" TOLLGATE_HOME="$TOLLGATE_HOME" ${own}; true`], {
      cwd: at.work,
      env: { ...at.env, TOLLGATE_PROCESS: "1.1." },
      encoding: "utf8"
    })
    assert.include(cleared.stderr, "cannot answer requests")
    assert.isFalse(isWritten())

    const answered = await approvals("answer", short, "yes", "--digest", digest)
    assert.deepStrictEqual([answered.code, answered.stdout], [0, "Answered: allowed write_file (once).\n"])
    const screen = await terminal.seen("Written.")
    assert.include(screen, `approved by user ${me}`)
    assert.notMatch(screen, /allow\?/)
    assert.strictEqual(await terminal.ended, 0)
    assert.isTrue(isWritten())
    assert.deepStrictEqual(decisionsOf(at), [`resolved granted user ${me}`])
    const again = await approvals("answer", short, "no")
    assert.include(again.stderr, `was granted already, by user ${me}`)
    assert.strictEqual((await approvals("audit", "--verify")).code, 0)
  })

  it("is shown in a terminal before yes counts there, and denied with its reason (A11, A15)", async () => {
    const first = await open(["run", "write"], { columns: 100 })
    await first.seen(/allow\?.*y allow once/)
    const { digest, id } = requestOf(at)!
    const second = await open(["approvals", "answer", id, "yes"], { columns: 100 })
    await second.seen("Allow exactly this? y/N")
    assert.include(second.screen(), digest.slice(0, 40))
    second.press("n\r")
    await second.seen("Nothing was answered.")
    assert.strictEqual(await second.ended, 0)
    assert.include(first.screen(), "allow?")
    await approvals("answer", id, "no", "--reason", "not today")
    await first.seen(`user ${me} said no: not today`)
    await first.seen("Written.")
    assert.isFalse(isWritten())
  })

  it("says which process has the session and is stopped, and counts once that goes on (A5, A12)", async () => {
    const terminal = await open(["run", "write"], { columns: 100 })
    await terminal.seen(/allow\?.*y allow once/)
    const { digest, id } = requestOf(at)!
    const [owner = 0] = ownersOf(at)
    process.kill(owner, "SIGSTOP")
    const { code, stdout } = await approvals("answer", id, "yes", "--digest", digest).finally(() =>
      process.kill(owner, "SIGCONT")
    )
    assert.strictEqual(code, 0)
    assert.strictEqual(
      stdout,
      `Answered: allowed write_file (once). Process ${owner}, which has the session open, is stopped; the answer counts when it goes on: fg in its terminal, or kill -CONT ${owner}\n`
    )
    await terminal.seen("Written.")
    assert.isTrue(isWritten())
  })

  it("counts once where several answer at the same time, and the others are told (A5)", async () => {
    const terminal = await open(["run", "write"], { columns: 100 })
    await terminal.seen(/allow\?.*y allow once/)
    const { digest, id } = requestOf(at)!
    const ended = await Promise.all(
      (["yes", "no", "yes"] as const).map((said) => approvals("answer", id, said, "--digest", digest))
    )
    assert.strictEqual(ended.filter(({ code }) => code === 0).length, 1)
    for (const { code, stderr } of ended) {
      if (code !== 0)
        assert.match(stderr, /has been answered with (yes|no) by user|was (granted|denied) already, by user/)
    }
    await terminal.seen("Written.")
    assert.strictEqual(ended[1]?.code === 0, !isWritten())
    assert.strictEqual(decisionsOf(at).length, 1)
  })

  it("is no longer listed as waiting, though its session has not gone on (A12)", async () => {
    left()
    const listed = async () => (JSON.parse((await approvals("list", "--json")).stdout) as ReadonlyArray<Listed>)[0]
    const { id, ...asked } = (await listed())!
    assert.deepInclude(asked, { digest: requestOf(at)!.digest, sessionId: requestOf(at)!.sessionId })
    assert.notProperty(asked, "answered")
    assert.include((await approvals("list")).stdout, "1 request waiting")
    assert.strictEqual((await approvals("answer", id, "no")).code, 0)
    const { stdout } = await approvals("list")
    assert.notInclude(stdout, "waiting")
    assert.notInclude(stdout, "approvals answer ID")
    assert.match(stdout, new RegExp(`1 request answered.*\\n.*no by user ${me}.*write_file`, "s"))
    assert.deepInclude(await listed(), { id, answered: { decision: "deny", by: `user ${me}` } })
  })

  it("counts for the next process where the one that was taking it is killed (A5, A12)", async () => {
    left()
    const { digest, id, sessionId } = requestOf(at)!
    assert.strictEqual((await approvals("answer", id, "yes", "--digest", digest)).code, 0)
    scripted(at, [{ steps: [{ say: "Written." }] }])
    const resumed = () => start(at, ["run", "--input-format", "jsonl", "--session", sessionId], null)
    for (let deaths = 0; deaths < 4 && !isWritten(); deaths++) {
      const taking = await resumed()
      await taking.seen(`"ApprovalMoved"`)
      taking.kill("SIGKILL")
      await taking.ended
    }
    if (!isWritten()) {
      const last = await resumed()
      await last.seen(`"TaskCompleted"`)
      last.kill("SIGTERM")
      await last.ended
    }
    assert.isTrue(isWritten())
    assert.include(decisionsOf(at), `resolved granted user ${me}`)
    assert.strictEqual((await approvals("audit", "--verify")).code, 0)
  })

  it("comes before all else in its session, which goes on by it without a terminal (A12)", async () => {
    left()
    const { digest, id, sessionId } = requestOf(at)!
    scripted(at, [{ steps: [{ say: "Written." }] }])
    const others = [
      ["run", "--session", sessionId, "more"],
      ["sessions", "compact", sessionId],
      ["sessions", "delete", sessionId, "--yes"],
      ["sessions", "rewind", sessionId, "--to", "2", "--yes"]
    ]
    for (const args of others) assert.include((await tollgate(at, args)).stderr, "answer it, in a terminal")
    assert.strictEqual((await approvals("answer", id, "yes", "--digest", digest)).code, 0)
    const program = ["run", "--session", sessionId, "--input-format", "jsonl"]
    for (const args of others) {
      const { code, stderr } = await tollgate(at, args)
      assert.include(stderr, "Let it go on first")
      assert.include(stderr.replaceAll(/\s+/g, " "), `tollgate ${program.join(" ")} </dev/null`)
      assert.notStrictEqual(code, 0)
    }
    assert.isFalse(isWritten())
    const { code, stdout } = await tollgate(at, program)
    assert.strictEqual(code, 0)
    assert.isTrue(isWritten())
    assert.include(stdout, `"TaskCompleted"`)
    assert.notInclude(stdout, "ToolCallInterrupted")
  })

  it("that nobody waits for any more counts when its session goes on (A12)", async () => {
    left()
    const { digest, id } = requestOf(at)!
    const answered = await approvals("answer", id, "yes", "--digest", digest)
    assert.include(answered.stdout, "the answer counts when it goes on")
    assert.isFalse(isWritten())
    const late = await approvals("answer", id, "no")
    assert.include(late.stderr, `has been answered with yes by user ${me}`)
    scripted(at, [{ steps: [{ say: "Written." }] }])
    const terminal = await open(["--continue"], { columns: 100 })
    await terminal.seen("Written.")
    assert.isTrue(isWritten())
    assert.deepStrictEqual(decisionsOf(at), [`resolved granted user ${me}`])
  })
})
