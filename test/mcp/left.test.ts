// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "../cli/command.ts"
import { built } from "../support/built.ts"
import { Sqlite } from "../support/Sqlite.ts"
import { until } from "../support/until.ts"
import { planned, tool } from "./support.ts"

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
      tool("hangs", { does: "silence" })
    ],
    structured: { n: 1 }
  }
  const added = async (patience = 500) => {
    scripted(at, [], { mcp: { gateway: { patience } } })
    const fix = planned(at.home, "fix", offer)
    const command = "command" in fix.known.server ? fix.known.server.command : []
    assert.strictEqual((await tollgate(at, ["mcp", "add", "fix", "--yes", "--", ...command])).code, 0)
    return { calls: () => fix.logged().filter((line) => line.startsWith("call")) }
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
  const requested = async () => {
    const { stdout } = await tollgate(at, ["approvals", "list", "--json"])
    const all = JSON.parse(stdout) as ReadonlyArray<{ kind: string; id: string; digest: string; sessionId: string }>
    return all.filter(({ kind }) => kind === "request")
  }
  const answered = async (answer: "yes" | "no", count = 1) => {
    const requests = await requested()
    assert.lengthOf(requests, count)
    for (const { digest, id } of requests)
      assert.strictEqual((await tollgate(at, ["approvals", "answer", id, answer, "--digest", digest])).code, 0)
  }
  const ended = (tag: string) => {
    const database = new Sqlite(path.join(at.home, "tollgate", "tollgate.db"))
    const [count] = database.values(`SELECT count(*) FROM events WHERE tag = '${tag}'`)
    database.close()
    return count === 1
  }

  for (const how of ["SIGKILL", "SIGTERM", "closed input"] as const) {
    it(`gives its result once, and runs once, although the gateway ended by ${how} in between (R4, X2)`, async () => {
      const { calls } = await added()
      const before = await open()
      assert.include(said(await before.call("data")), "is pending")
      await answered("yes")
      await until(() => ended("TaskCompleted"))
      await before.end(how)
      const after = await open()
      // The log is looked at for the first call that nothing was left of.
      if (how !== "SIGKILL") assert.include(said(await after.call("echo")), "is pending")
      const result = await after.call("data")
      assert.isUndefined(result.isError)
      assert.deepStrictEqual(result.structuredContent, { n: 1 })
      assert.lengthOf(calls(), 1)
      assert.include(said(await after.call("data")), "is pending")
      await after.end("closed input")
    })

    it(`is told that its outcome is unknown, once, where the gateway ended by ${how} while it ran (R4, X2)`, async () => {
      const { calls } = await added()
      const before = await open()
      assert.include(said(await before.call("hangs")), "is pending")
      await answered("yes")
      await until(() => calls().length === 1)
      await before.end(how)
      const after = await open()
      const result = await after.call("hangs")
      assert.isTrue(result.isError)
      assert.include(said(result), "outcome unknown")
      assert.lengthOf(calls(), 1)
      assert.include(said(await after.call("hangs")), "is pending")
      await after.end("closed input")
    })
  }

  it("or would have been, had its gateway lived, gets what came of it in another process, and runs once (R4, X2)", async () => {
    const { calls } = await added(600_000)
    const before = await open()
    const cut = before.call("data").catch(() => "its gateway is gone")
    let [request] = await requested()
    while (request === undefined) [request] = await requested()
    await before.end("SIGKILL")
    assert.strictEqual(await cut, "its gateway is gone")
    await answered("yes")
    const goesOn = ["run", "--session", request.sessionId, "--input-format", "jsonl"]
    const gone = await tollgate(at, goesOn)
    assert.strictEqual(gone.code, 0, `${gone.stdout}\n${gone.stderr}`)
    assert.lengthOf(calls(), 1)
    const after = await open()
    assert.isUndefined((await after.call("data")).isError)
    assert.lengthOf(calls(), 1)
    // One more is another call.
    const next = after.call("data").catch(() => "its gateway is gone")
    while ((await requested()).length === 0) continue
    await after.end("SIGKILL")
    await next
    assert.lengthOf(calls(), 1)
  })

  it.each(["SIGKILL", "SIGTERM"] as const)(
    "is taken up by one of several equal calls at once, after %s, and each runs once (R4, X2)",
    async (how) => {
      const { calls } = await added()
      const before = await open()
      const idOf = (result: object) => /approval (\S+) is pending/.exec(said(result))?.[1] ?? ""
      const first = idOf(await before.call("echo"))
      await before.end(how)
      const after = await open()
      const together = () => Promise.all([after.call("echo"), after.call("echo"), after.call("echo")])
      const ids = (await together()).map(idOf)
      assert.include(ids, first)
      assert.lengthOf(new Set(ids), 3)
      await answered("yes", 3)
      assert.deepStrictEqual((await together()).map(said), ["echo {}", "echo {}", "echo {}"])
      assert.lengthOf(calls(), 3)
      await after.end("closed input")
    }
  )

  it("is told that it was denied, although the gateway has ended since (X2)", async () => {
    const { calls } = await added()
    const before = await open()
    await before.call("echo")
    await answered("no")
    await until(() => ended("TaskFailed"))
    await before.end("SIGTERM")
    const after = await open()
    assert.include(said(await after.call("echo")), "denied")
    assert.lengthOf(calls(), 0)
    await after.end("closed input")
  })
})

describe("a call that runs without a question when its gateway ends", () => {
  it.each(["SIGKILL", "SIGTERM", "SIGINT", "closed input"] as const)(
    "by %s is reported with an unknown outcome to the one who makes it again, and is not run again (R4, X2)",
    async (how) => {
      const at = place()
      scripted(at, [])
      const fix = planned(at.home, "fix", { tools: [tool("hangs", { does: "silence" })] })
      const command = "command" in fix.known.server ? fix.known.server.command : []
      assert.strictEqual((await tollgate(at, ["mcp", "add", "fix", "--yes", "--", ...command])).code, 0)
      const args = [await built(), "mcp", "gateway", "--dangerously-allow-all"]
      const { env, work: cwd } = at
      const open = async () => {
        const client = new Client({ name: "host", version: "1" })
        const to = new StdioClientTransport({ command: process.execPath, args, cwd, env: { ...env }, stderr: "ignore" })
        await client.connect(to)
        return { client, to }
      }
      const calls = () => fix.logged().filter((line) => line.startsWith("call"))
      const before = await open()
      const cut = before.client.callTool({ name: "fix__hangs", arguments: { a: 1 } }).catch(() => undefined)
      await until(() => calls().length === 1)
      if (how !== "closed input") process.kill(before.to.pid!, how)
      else await before.client.close()
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
    const fix = planned(at.home, "fix", { tools: [tool("hangs", { does: "silence" }), tool("echo")] })
    const command = "command" in fix.known.server ? fix.known.server.command : []
    assert.strictEqual((await tollgate(at, ["mcp", "add", "fix", "--yes", "--", ...command])).code, 0)
    const args = [await built(), "mcp", "gateway", "--dangerously-allow-all"]
    const client = new Client({ name: "host", version: "1" })
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: at.work, env: { ...at.env }, stderr: "ignore" })
    )
    const calls = () => fix.logged().filter((line) => line.startsWith("call")).length
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
