// @effect-diagnostics asyncFunction:off newPromise:off globalFetch:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import * as http from "node:http"
import { type Place, place, type Running, scripted, start, tollgate } from "../cli/command.ts"
import { unread } from "../../src/mcp/gateway/unread.ts"
import { until } from "../support/until.ts"
import { planned, tool } from "./support.ts"

describe("a client over HTTP that does not read", () => {
  let at: Place
  let running: Running | undefined
  beforeEach(() => {
    at = place()
  })
  afterEach(async () => {
    running?.kill("SIGTERM")
    await running?.ended
    at.remove()
  })

  it("has what it reads in time, and a message of any size (X2, R5)", async () => {
    let dropped = 0
    const { readable, writable } = unread(() => dropped++, 10)
    const [reader, writer] = [readable.getReader(), writable.getWriter()]
    const bytes = (count: number) => new Uint8Array(count)
    const write = (count: number) => writer.write(bytes(count)).catch(() => {})
    void write(1000)
    assert.lengthOf((await reader.read()).value ?? [], 1000)
    for (let round = 0; round < 10; round++) {
      void write(9)
      assert.lengthOf((await reader.read()).value ?? [], 9)
    }
    for (let round = 0; round < 3; round++) void write(9)
    const why = await reader.closed.then(() => "", String)
    assert.include(why, "its client has not read 10 bytes")
    assert.strictEqual(dropped, 1)
  })

  it("loses its connection, and what was queued for it is let go (X2, R5)", async () => {
    scripted(at, [])
    const fix = planned(at.home, "fix", { tools: [tool("floods", { does: "floods", size: 1024 * 1024, steps: 60 })] })
    const command = "command" in fix.known.server ? fix.known.server.command : []
    assert.strictEqual((await tollgate(at, ["mcp", "add", "fix", "--yes", "--", ...command])).code, 0)
    running = await start(at, ["mcp", "gateway", "--listen", "127.0.0.1:0", "--dangerously-allow-all"])
    await running.seen("kept in ")
    const { stdout } = await tollgate(at, ["tokens", "add", "mine", "--scope", "operate"])
    const [token = ""] = /tg_[\w-]+/.exec(stdout) ?? []
    const [, url = ""] = /on (http:\S+)/.exec(running.said()) ?? []
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`
    }
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } }
    const greeted = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params })
    })
    await greeted.text()
    const session = { ...headers, "mcp-session-id": greeted.headers.get("mcp-session-id") ?? "" }
    const request = http.request(url, { method: "POST", headers: session })
    const answered = new Promise<http.IncomingMessage>((resolve, reject) =>
      request.once("response", resolve).once("error", reject)
    )
    const call = { name: "fix__floods", arguments: {}, _meta: { progressToken: 1 } }
    request.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }))
    const response = await answered
    await until(() => fix.logged().includes("flooded"))
    // What the kernel holds is still read; the end is no end of the answer.
    let length = 0
    const ended = new Promise<string>((resolve) => {
      response.once("end", () => resolve("end")).once("error", () => resolve("cut off"))
    })
    response.on("data", (piece: Buffer) => (length += piece.length))
    assert.strictEqual(await ended, "cut off")
    assert.isBelow(length, 40 * 1024 * 1024)
  })
})
