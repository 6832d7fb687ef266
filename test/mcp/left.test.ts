// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "../cli/command.ts"
import { built } from "../support/built.ts"
import { Sqlite } from "../support/Sqlite.ts"
import { answerAt, openAt } from "../support/elsewhere.ts"
import { until } from "../support/until.ts"
import { added as approved, tool } from "./support.ts"

type Ending = "SIGKILL" | "SIGTERM" | "closed input"

const said = (result: { readonly content?: unknown }): string =>
  (result.content as ReadonlyArray<{ readonly text?: string }>).map(({ text }) => text ?? "").join("\n")

describe("a call that its client was told to come back for", () => {
  let at: Place
  beforeEach(() => {
    at = place()
  })
  afterEach(() => at.remove())

  const offer = {
    tools: [
      tool("echo"),
      tool("data", { does: "data" }, { outputSchema: { type: "object", properties: { n: { type: "number" } } } }),
      tool("hangs", { does: "silence" }),
      tool("several"),
      tool("other")
    ],
    structured: { n: 1 }
  }
  const added = async (patience = 500) => {
    scripted(at, [], { mcp: { gateway: { patience } } })
    return approved(at, "fix", offer)
  }
  const open = async () => {
    const client = new Client({ name: "host", version: "1" })
    const args = [await built(), "mcp", "gateway"]
    const { env, work: cwd } = at
    const to = new StdioClientTransport({ command: process.execPath, args, cwd, env: { ...env }, stderr: "ignore" })
    await client.connect(to)
    const end = async (how: Ending) => {
      const { pid } = to
      if (how !== "closed input") process.kill(pid!, how)
      await client.close()
    }
    const call = (name: string) => client.callTool({ name: `fix__${name}`, arguments: {} })
    return { call, end }
  }
  const answered = async (decision: "approve" | "deny", tools: ReadonlyArray<string>) => {
    const requests = (await openAt(at)).filter(({ tool }) => tools.includes(tool.replace("fix__", "")))
    assert.sameMembers(
      requests.map(({ tool }) => tool),
      tools.map((name) => `fix__${name}`)
    )
    return answerAt(at, requests, decision)
  }
  const ended = (tag: string, times = 1) => {
    const database = new Sqlite(path.join(at.home, "tollgate", "tollgate.db"))
    const [count] = database.values(`SELECT count(*) FROM events WHERE tag = '${tag}'`)
    database.close()
    return count === times
  }

  for (const how of ["SIGKILL", "SIGTERM", "closed input"] as const) {
    it(`gives its result, its denial, or its unknown outcome once, and runs once, although the gateway ended by ${how} in between (R4, X2)`, async () => {
      const { calls } = await added()
      const before = await open()
      const idOf = (result: object) => /approval (\S+) is pending/.exec(said(result))?.[1] ?? ""
      const names = ["data", "hangs", "echo", "several"]
      const first = await Promise.all(names.map((name) => before.call(name)))
      for (const one of first) assert.notStrictEqual(idOf(one), "", said(one))
      await answered("approve", ["data"])
      await until(() => ended("TaskCompleted"))
      await answered("deny", ["echo"])
      await until(() => ended("TaskFailed"))
      await answered("approve", ["hangs"])
      await until(() => calls().length === 2)
      await before.end(how)
      const after = await open()
      // The log is looked at for the first call that nothing was left of.
      if (how !== "SIGKILL") assert.include(said(await after.call("other")), "is pending")
      const result = await after.call("data")
      assert.isUndefined(result.isError)
      assert.deepStrictEqual(result.structuredContent, { n: 1 })
      const unknown = await after.call("hangs")
      assert.isTrue(unknown.isError)
      assert.include(said(unknown), "outcome unknown")
      assert.include(said(await after.call("echo")), "denied")
      for (const name of ["data", "hangs", "echo"]) assert.include(said(await after.call(name)), "is pending", name)
      assert.sameMembers([...calls()], ["call data {}", "call hangs {}"])
      // What waits is taken up by one of several equal calls at once, and each runs once.
      const together = () => Promise.all(["several", "several", "several"].map((name) => after.call(name)))
      const ids = (await together()).map(idOf)
      assert.include(ids, idOf(first[3]!))
      assert.lengthOf(new Set(ids), 3)
      await answered("approve", ["several", "several", "several"])
      assert.deepStrictEqual((await together()).map(said), ["echo {}", "echo {}", "echo {}"])
      assert.lengthOf(calls(), 5)
      await after.end("closed input")
    })
  }

  it("gives its result although an equal one still waits for a person, also of a gateway that is gone (R4, X2)", async () => {
    const { calls } = await added()
    const before = await open()
    const idOf = (result: object) => /approval (\S+) is pending/.exec(said(result))?.[1]
    await Promise.all(Array.from({ length: 5 }, () => before.call("echo")))
    const approved = async (count: number) => {
      // The one that is taken up before the others are answered.
      const first = idOf(await before.call("echo"))
      const [request] = (await openAt(at)).filter(({ id }) => id !== first)
      await answerAt(at, [request!], "approve")
      await until(() => ended("TaskCompleted", count))
    }
    await approved(1)
    assert.strictEqual(said(await before.call("echo")), "echo {}")
    await approved(2)
    await before.end("SIGTERM")
    const after = await open()
    assert.strictEqual(said(await after.call("echo")), "echo {}")
    assert.isDefined(idOf(await after.call("echo")))
    assert.lengthOf(calls(), 2)
    await after.end("closed input")
  })

  it("or would have been, had its gateway lived, gets what came of it in another process, and runs once (R4, X2)", async () => {
    const { calls } = await added(600_000)
    const before = await open()
    const cut = before.call("data").catch(() => "its gateway is gone")
    await until(async () => (await openAt(at)).length === 1)
    const [request] = await openAt(at)
    await before.end("SIGKILL")
    assert.strictEqual(await cut, "its gateway is gone")
    assert.deepStrictEqual(await answered("approve", ["data"]), ["left"])
    const goesOn = ["run", "--session", request!.sessionId, "--input-format", "jsonl"]
    const gone = await tollgate(at, goesOn)
    assert.strictEqual(gone.code, 0, `${gone.stdout}\n${gone.stderr}`)
    assert.lengthOf(calls(), 1)
    const after = await open()
    assert.isUndefined((await after.call("data")).isError)
    assert.lengthOf(calls(), 1)
    // One more is another call.
    const next = after.call("data").catch(() => "its gateway is gone")
    await until(async () => (await openAt(at)).length > 0)
    await after.end("SIGKILL")
    await next
    assert.lengthOf(calls(), 1)
  })
})

describe("a call that runs without a question when its gateway ends", () => {
  it.each(["SIGKILL", "SIGINT"] as const)(
    "by %s is reported with an unknown outcome to the one who makes it again, and is not run again (R4, X2)",
    async (how) => {
      const at = place()
      scripted(at, [])
      const { calls } = await approved(at, "fix", { tools: [tool("hangs", { does: "silence" })] })
      const args = [await built(), "mcp", "gateway", "--dangerously-allow-all"]
      const { env, work: cwd } = at
      const open = async () => {
        const client = new Client({ name: "host", version: "1" })
        const to = new StdioClientTransport({ command: process.execPath, args, cwd, env: { ...env }, stderr: "ignore" })
        await client.connect(to)
        return { client, to }
      }
      const before = await open()
      const cut = before.client.callTool({ name: "fix__hangs", arguments: { a: 1 } }).catch(() => undefined)
      await until(() => calls().length === 1)
      process.kill(before.to.pid!, how)
      await cut
      await before.client.close()
      const after = await open()
      const result = await after.client.callTool({ name: "fix__hangs", arguments: { a: 1 } })
      assert.isTrue(result.isError)
      assert.include(said(result), "outcome unknown")
      assert.lengthOf(calls(), 1)
      await after.client.close()
      at.remove()
    }
  )
})

describe("a call that its client takes back", () => {
  it("while it runs is answered once with an unknown outcome and not run again, and the one after that runs (R4, G11, X2)", async () => {
    const at = place()
    scripted(at, [])
    const fix = await approved(at, "fix", { tools: [tool("hangs", { does: "silence" }), tool("echo")] })
    const args = [await built(), "mcp", "gateway", "--dangerously-allow-all"]
    const client = new Client({ name: "host", version: "1" })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: at.work, env: { ...at.env }, stderr: "ignore" })
    )
    const calls = () => fix.calls().length
    const hangs = { name: "fix__hangs", arguments: { a: 1 } }
    const leaving = new AbortController()
    const cut = client.callTool(hangs, { signal: leaving.signal }).catch(() => undefined)
    await until(() => calls() === 1)
    leaving.abort()
    await cut
    const again = await client.callTool(hangs)
    assert.isTrue(again.isError)
    assert.include(said(again), "outcome unknown")
    assert.strictEqual(calls(), 1)
    const third = new AbortController()
    const anew = client.callTool(hangs, { signal: third.signal }).catch(() => undefined)
    await until(() => calls() === 2)
    third.abort()
    await anew
    await client.close()
    at.remove()
  })
})
