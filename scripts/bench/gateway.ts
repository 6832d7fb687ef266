// @effect-diagnostics processEnv:off asyncFunction:off - measures whole processes from outside
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as Effect from "effect/Effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { performance } from "node:perf_hooks"
import { home, work } from "./start.ts"

const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0

export interface Overhead {
  /** Milliseconds of a call that the server gets straight from its client. */
  readonly direct: number
  /** The same through the gateway. */
  readonly gateway: number
  /** From the gateway's answer to `initialize` to its list of tools, which starts no server. */
  readonly list: number
  /** The same of the server itself. */
  readonly directList: number
  /** From the start of the gateway to that list. */
  readonly start: number
  readonly directStart: number
}

/** The first one compiles what the others find. */
const starts = 6

const launcher = path.resolve("dist/tollgate.cjs")

/** A call through the gateway beside the same call without it, in turn so that a drift of the machine hits both. */
export const overhead = (calls = 300): Effect.Effect<Overhead> =>
  Effect.promise(async () => {
    const folder = home()
    const cwd = work(folder)
    const env = { PATH: process.env["PATH"] ?? "", HOME: folder, TOLLGATE_HOME: folder, XDG_CACHE_HOME: folder }
    const plan = path.join(folder, "plan.json")
    const tool = { name: "echo", description: "Echoes", inputSchema: { type: "object" }, x: { does: "echo" } }
    fs.writeFileSync(plan, JSON.stringify({ tools: [tool] }))
    const server = [process.execPath, path.resolve("test/fixtures/mcp/server.mjs"), plan]
    spawnSync(process.execPath, [launcher, "mcp", "add", "fix", "--yes", "--", ...server], { cwd, env })
    const open = async (command: ReadonlyArray<string>) => {
      const begin = performance.now()
      const client = new Client({ name: "bench", version: "1" }, { versionNegotiation: { mode: "legacy" } })
      const [file = "", ...args] = command
      await client.connect(new StdioClientTransport({ command: file, args, cwd, env, stderr: "ignore" }))
      const ready = performance.now()
      await client.listTools()
      const end = performance.now()
      return { client, list: end - ready, start: end - begin }
    }
    const gatewayCommand = [process.execPath, launcher, "mcp", "gateway", "--dangerously-allow-all"]
    interface Times {
      readonly list: number
      readonly start: number
    }
    const times: { direct: Array<Times>; gateway: Array<Times> } = { direct: [], gateway: [] }
    for (let i = 0; i < starts; i++)
      for (const [kind, command] of [["direct", server] as const, ["gateway", gatewayCommand] as const]) {
        const { client, list, start } = await open(command)
        times[kind].push({ list, start })
        await client.close()
      }
    const direct = await open(server)
    const gateway = await open(gatewayCommand)
    const time = async (client: Client, name: string) => {
      const begin = performance.now()
      await client.callTool({ name, arguments: { text: "hello" } })
      return performance.now() - begin
    }
    const values: { direct: Array<number>; gateway: Array<number> } = { direct: [], gateway: [] }
    for (let i = 0; i < calls + 50; i++) {
      const one = await time(direct.client, "echo")
      const other = await time(gateway.client, "fix__echo")
      if (i < 50) continue
      values.direct.push(one)
      values.gateway.push(other)
    }
    await Promise.all([direct.client.close(), gateway.client.close()])
    for (const place of [folder, cwd]) fs.rmSync(place, { recursive: true })
    const usual = (kind: "direct" | "gateway", which: "list" | "start") =>
      median(times[kind].slice(1).map((one) => one[which]))
    return {
      direct: median(values.direct),
      gateway: median(values.gateway),
      list: usual("gateway", "list"),
      directList: usual("direct", "list"),
      start: usual("gateway", "start"),
      directStart: usual("direct", "start")
    }
  })
