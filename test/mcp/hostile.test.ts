// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "../cli/command.ts"
import { built } from "../support/built.ts"
import { planned, tool } from "./support.ts"

const said = (result: { readonly content?: unknown }): string =>
  (result.content as ReadonlyArray<{ readonly text?: string }>).map(({ text }) => text ?? "").join("\n")

describe("a hostile server behind the gateway", () => {
  let at: Place
  let client: Client | undefined
  beforeEach(() => {
    at = place()
  })
  afterEach(async () => {
    await client?.close()
    client = undefined
    at.remove()
  })

  /** A client of the gateway in front of the server of a plan, with these settings of the server. */
  const opened = async (plan: object, settings: object = {}) => {
    scripted(at, [])
    const fix = planned(at.home, "fix", plan)
    const command = "command" in fix.known.server ? fix.known.server.command : []
    assert.strictEqual((await tollgate(at, ["mcp", "add", "fix", "--yes", "--", ...command])).code, 0)
    const file = path.join(at.env["TOLLGATE_HOME"]!, "config.json")
    const config = JSON.parse(fs.readFileSync(file, "utf8")) as { mcp: { servers: { fix: object } } }
    config.mcp.servers.fix = { ...config.mcp.servers.fix, ...settings }
    fs.writeFileSync(file, JSON.stringify(config))
    client = new Client({ name: "host", version: "1" })
    const args = [await built(), "mcp", "gateway", "--dangerously-allow-all"]
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: at.work, env: { ...at.env }, stderr: "ignore" })
    )
    return { client, fix }
  }

  it("of 10,000 tools is searched, and what is found among those that are taken is called (X2)", async () => {
    const { client, fix } = await opened({ many: 10_000 })
    const names = (await client.listTools()).tools.map(({ name }) => name)
    assert.deepStrictEqual(names, ["search_tools", "call_tool"])
    const search = (query: string) => client.callTool({ name: "search_tools", arguments: { query } })
    const call = (name: string) => client.callTool({ name: "call_tool", arguments: { name, arguments: { a: 1 } } })
    assert.include(said(await search("tool987")), '"fix__tool987"')
    assert.include(said(await call("fix__tool987")), 'echo {"a":1}')
    assert.strictEqual(said(await search("tool9999")), "No tool has these words.")
    const beyond = await call("fix__tool9999")
    assert.isTrue(beyond.isError)
    assert.include(said(beyond), "there is no tool of that name")
    assert.deepStrictEqual(
      fix.logged().filter((line) => line.startsWith("call")),
      ['call tool987 {"a":1}']
    )
  })

  it("that gives 20 MB has them cut, and one that gives 100 MB is ended; the next call is answered (X2)", async () => {
    const [long, endless] = [20 * 1024 * 1024, 100 * 1024 * 1024]
    const tools = [
      tool("long", { does: "huge", size: long }),
      tool("endless", { does: "huge", size: endless }),
      tool("echo")
    ]
    const { client, fix } = await opened({ tools })
    const call = (name: string) => client.callTool({ name: `fix__${name}`, arguments: {} })
    const cut = said(await call("long"))
    assert.match(cut, new RegExp(`^y{100000}\\n\\[… ${long - 100_000} of ${long} characters left out …\\]$`))
    const ended = await call("endless")
    assert.isTrue(ended.isError)
    assert.include(said(ended), `outcome unknown (a message had more than ${32 * 1024 * 1024} characters)`)
    assert.isBelow(said(ended).length, 1000)
    assert.strictEqual(said(await call("echo")), "echo {}")
    assert.lengthOf(
      fix.logged().filter((line) => line.startsWith("call endless")),
      1
    )
  })

  it("is not given up on for as long as it tells of progress, which its client hears (X2)", async () => {
    const steps = 8
    const tools = [tool("steps", { does: "progress", steps }), tool("silence", { does: "silence" })]
    const { client, fix } = await opened({ tools }, { timeouts: { idle: "1500 millis" } })
    const heard: Array<number> = []
    const onprogress = ({ message = "", progress }: { readonly message?: string; readonly progress: number }) =>
      void (message.startsWith("step") && heard.push(progress))
    const done = await client.callTool({ name: "fix__steps", arguments: {} }, { onprogress })
    assert.strictEqual(said(done), `after ${steps}`)
    assert.deepStrictEqual(
      [...new Set(heard)],
      Array.from({ length: steps }, (_, i) => i + 1)
    )
    const silent = await client.callTool({ name: "fix__silence", arguments: {} })
    assert.isTrue(silent.isError)
    assert.include(said(silent), "silent for")
    assert.isTrue(fix.logged().some((line) => line.startsWith("cancelled")))
  })
})
