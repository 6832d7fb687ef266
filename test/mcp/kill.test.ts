// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "../cli/command.ts"
import { built } from "../support/built.ts"
import { Sqlite } from "../support/Sqlite.ts"
import { added as approved, tool } from "./support.ts"

interface Told {
  readonly seq: number
  readonly event: { readonly _tag: string; readonly callId?: string; readonly tool?: string }
}

describe("a gateway that is killed as soon as its client has an answer", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  const lines = <A>(text: string): ReadonlyArray<A> =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as A)

  it("has the decision, the beginning of each call and one end, known or not, and runs none again (R4, X2)", async () => {
    scripted(at, [{ repeat: true, steps: [{ say: "Still here." }] }])
    const drop = tool("drop", {}, { annotations: { destructiveHint: true } })
    const fix = await approved(at, "fix", { tools: [drop] })
    const args = [await built(), "mcp", "gateway", "--dangerously-allow-all"]
    // The more calls are answered before it, the more of their ends are on their way when it is killed.
    const rounds = [1, 4]
    for (const [round, length] of rounds.entries()) {
      const client = new Client({ name: "host", version: "1" })
      const to = new StdioClientTransport({
        command: process.execPath,
        args,
        cwd: at.work,
        env: { ...at.env },
        stderr: "ignore"
      })
      await client.connect(to)
      const given = Array.from({ length }, (_, call) => ({ round, call }))
      const answers = await Promise.all(
        given.map((parameters) => client.callTool({ name: "fix__drop", arguments: parameters }))
      )
      process.kill(to.pid!, "SIGKILL")
      assert.isTrue(answers.every(({ isError }) => isError !== true))
      await client.close()
    }
    const calls = rounds.reduce((sum, length) => sum + length)
    assert.lengthOf(
      fix.logged().filter((line) => line.startsWith("call")),
      calls
    )
    const sessions = JSON.parse((await tollgate(at, ["sessions", "list", "--all", "--json"])).stdout) as ReadonlyArray<{
      id: string
    }>
    let begun = 0
    for (const { id } of sessions) {
      assert.strictEqual((await tollgate(at, ["run", "--session", id, "go on"])).code, 0)
      const told = lines<Told>((await tollgate(at, ["events", id, "--jsonl"])).stdout)
      const started = told.filter(({ event }) => event._tag === "ToolCallStarted")
      begun += started.length
      for (const { event } of started) {
        const ends = told.filter(
          (one) =>
            one.event.callId === event.callId && /^ToolCall(?:Completed|Failed|OutcomeUnknown)$/.test(one.event._tag)
        )
        assert.lengthOf(ends, 1, id)
        assert.notStrictEqual(ends[0]?.event._tag, "ToolCallFailed")
      }
    }
    assert.strictEqual(begun, calls)
    const audit = lines<{ readonly tool?: string }>((await tollgate(at, ["approvals", "audit", "--jsonl"])).stdout)
    assert.lengthOf(
      audit.filter((entry) => entry.tool === "fix__drop"),
      calls
    )
    assert.lengthOf(
      fix.logged().filter((line) => line.startsWith("call")),
      calls
    )
  })
})

describe("a gateway whose database is held by another program", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  it("answers its client before the end of the call is recorded, and records it once it can (R4, X2)", async () => {
    const fix = await approved(at, "fix", { tools: [tool("slow", { does: "paced", steps: 1 })] })
    const client = new Client({ name: "host", version: "1" })
    const args = [await built(), "mcp", "gateway", "--dangerously-allow-all"]
    const { env, work: cwd } = at
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd, env: { ...env }, stderr: "ignore" })
    )
    const database = new Sqlite(path.join(at.home, "tollgate", "tollgate.db"))
    const ends = () => database.values("SELECT count(*) FROM events WHERE tag = 'ToolCallCompleted'")[0]
    const onprogress = () => {
      database.exec("BEGIN IMMEDIATE")
      const [, pid] = fix
        .logged()
        .findLast((line) => line.startsWith("started"))!
        .split(" ")
      process.kill(Number(pid), "SIGUSR2")
    }
    const answered = await client.callTool({ name: "fix__slow" }, { onprogress })
    const before = ends()
    database.exec("COMMIT")
    await client.close()
    assert.deepStrictEqual(answered, { content: [{ type: "text", text: "after 1" }] })
    assert.strictEqual(before, 0)
    assert.strictEqual(ends(), 1)
    database.close()
  })
})
