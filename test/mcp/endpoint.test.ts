// @effect-diagnostics asyncFunction:off newPromise:off globalFetch:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { type Place, place, type Running, scripted, start, tollgate } from "../cli/command.ts"
import { until } from "../support/until.ts"
import { answerAt, openAt } from "../support/elsewhere.ts"
import { added as approved, tool } from "./support.ts"

type Era = "legacy" | "auto"

const said = (result: { readonly content?: unknown }): string =>
  (result.content as ReadonlyArray<{ readonly text?: string }>).map(({ text }) => text ?? "").join("\n")

/** The status of a request with exactly these headers. */
const status = (url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const request = http.request(
      url,
      { method: "POST", headers, setHost: headers["host"] === undefined },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      }
    )
    request.on("error", reject)
    request.end(body)
  })

/** A client of the revisions of 2025 that speaks without a library. */
const bare = (url: string) => {
  const headers = (token: string, session?: string) => ({
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    authorization: `Bearer ${token}`,
    ...(session === undefined ? {} : { "mcp-session-id": session })
  })
  const posted = (token: string, body: object, session?: string, signal?: AbortSignal) =>
    fetch(url, {
      method: "POST",
      ...(signal === undefined ? {} : { signal }),
      headers: headers(token, session),
      body: JSON.stringify({ jsonrpc: "2.0", ...body })
    })
  const begun = async (token: string) => {
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } }
    const answer = await posted(token, { id: 0, method: "initialize", params })
    await answer.text()
    return answer.headers.get("mcp-session-id") ?? ""
  }
  return { begun, headers, posted }
}

describe("an MCP client that reaches the gateway over HTTP", () => {
  let at: Place
  let running: Running | undefined
  let clients: Array<Client> = []
  beforeEach(() => {
    at = place()
  })
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()))
    clients = []
    running?.kill("SIGTERM")
    await running?.ended
    at.remove()
  })

  const served = async (plan: object, ...words: ReadonlyArray<string>) => {
    scripted(at, [])
    const fix = await approved(at, "fix", plan)
    running = await start(at, ["mcp", "gateway", "--listen", "127.0.0.1:0", ...words])
    await running.seen("kept in ")
    const [, url = ""] = /on (http:\S+)/.exec(running.said()) ?? []
    const { port } = new URL(url)
    const file = path.join(at.env["TOLLGATE_HOME"]!, "servers", `${port}.json`)
    const { token } = JSON.parse(fs.readFileSync(file, "utf8")) as { token: string }
    assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
    return { fix, url, token, port }
  }
  /** The calls that are kept for those that make them again. */
  const kept = () => {
    const folder = path.join(at.env["TOLLGATE_HOME"]!, "mcp", "left")
    return fs.existsSync(folder) ? fs.readdirSync(folder).length : 0
  }
  const open = async (
    era: Era,
    url: string,
    token: string,
    answer?: (asked: { readonly message: string }) => object,
    overWeb: typeof fetch = fetch
  ) => {
    const client = new Client(
      { name: "host", version: "1" },
      {
        capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
        versionNegotiation: { mode: era }
      }
    )
    if (answer !== undefined)
      client.setRequestHandler("elicitation/create", async ({ params }) => answer(params as never) as never)
    const requestInit = { headers: { authorization: `Bearer ${token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch: overWeb }))
    clients.push(client)
    return client
  }

  it("calls, is asked by Tollgate and by the server, and hears of progress, in each revision (G1, G11, G13)", async () => {
    const { fix, token, url } = await served({
      tools: [tool("echo"), tool("asks", { does: "asks" }), tool("steps", { does: "progress", steps: 3 })]
    })
    for (const [index, era] of (["legacy", "auto"] as const).entries()) {
      const asked: Array<string> = []
      const client = await open(era, url, token, ({ message }) => {
        asked.push(message)
        return message.startsWith("Tollgate")
          ? { action: "accept", content: { decision: "once" } }
          : { action: "accept", content: { city: "Oslo" } }
      })
      assert.strictEqual(client.getProtocolEra(), era === "auto" ? "modern" : "legacy")
      const yes = await client.callTool({ name: "fix__echo", arguments: { a: 1 } })
      assert.strictEqual(said(yes), 'echo {"a":1}', era)
      assert.include(said(await client.callTool({ name: "fix__asks", arguments: {} })), '"city":"Oslo"')
      assert.strictEqual(asked.at(-1), "MCP server fix asks: Where?")
      const heard: Array<number> = []
      await client.callTool(
        { name: "fix__steps", arguments: {} },
        { onprogress: ({ message = "", progress }) => void (message.startsWith("step") && heard.push(progress)) }
      )
      assert.deepStrictEqual(heard, [1, 2, 3], era)
      assert.lengthOf(
        fix.logged().filter((line) => line.startsWith("call")),
        3 * (index + 1),
        era
      )
    }
  })

  it("gives and gets members that are called __proto__ as the data that they are, in each revision (X2)", async () => {
    const { fix, token, url } = await served({ tools: [tool("gives", { does: "gives" })] }, "--dangerously-allow-all")
    const odd = '{"__proto__":{"b":[{"__proto__":1}]}'
    const result = `{"content":[],"structuredContent":${odd}},"_meta":${odd}}}`
    const given = JSON.parse(`{"__proto__":{"c":1},"result":${result}}`) as Record<string, unknown>
    for (const era of ["legacy", "auto"] as const) {
      // The library of a client leaves them out of what it reads.
      let got = ""
      const heard: typeof fetch = async (...request) => {
        const response = await fetch(...request)
        if (request[1]?.method !== "POST") return response
        got = await response.text()
        return new Response(got === "" ? null : got, response)
      }
      const client = await open(era, url, token, undefined, heard)
      await client.callTool({ name: "fix__gives", arguments: given })
      for (const member of ["structuredContent", "_meta"]) assert.include(got, `"${member}":${odd}`, era)
      assert.include(fix.logged().at(-1), 'gives {"__proto__":{"c":1},', era)
    }
  })

  it("declines for its user what no form may ask, and shows one server under its own names (G13)", async () => {
    const { token, url } = await served(
      { tools: [tool("asks", { does: "asks", field: "api_key" })] },
      "--server",
      "fix",
      "--dangerously-allow-all"
    )
    const client = await open("auto", url, token, () => ({ action: "accept", content: { api_key: "k" } }))
    assert.deepStrictEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ["asks"]
    )
    assert.include(said(await client.callTool({ name: "asks", arguments: {} })), '"action":"decline"')
  })

  it("gets nothing with what another one was asked for the same call (X2)", async () => {
    const { fix, token, url } = await served({ tools: [tool("echo")] })
    const added = await tollgate(at, ["tokens", "add", "other", "--scope", "operate"])
    const [other = ""] = /tg_[\w-]+/.exec(added.stdout) ?? []
    const [mine, theirs] = [await open("auto", url, token, () => ({})), await open("auto", url, other, () => ({}))]
    const call = async (client: Client, more: object) => {
      const params = { name: "fix__echo", arguments: { a: 1 }, ...more }
      const result: unknown = await client.callTool(params, { allowInputRequired: true })
      return result as { readonly requestState?: string; readonly content?: unknown }
    }
    const { requestState = "" } = await call(mine, {})
    assert.isNotEmpty(requestState)
    const inputResponses = { approval: { action: "accept", content: { decision: "once" } } }
    const asked = await call(theirs, { requestState, inputResponses })
    assert.isNotEmpty(asked.requestState ?? "")
    assert.notStrictEqual(asked.requestState, requestState)
    const isCall = (line: string) => line.startsWith("call")
    assert.lengthOf(fix.logged().filter(isCall), 0)
    assert.strictEqual(said(await call(mine, { requestState, inputResponses })), 'echo {"a":1}')
    assert.lengthOf(fix.logged().filter(isCall), 1)
  })

  it("is refused without a token, under another host, from another origin, and beyond the bounds (G20)", async () => {
    const { port, token, url } = await served({ tools: [tool("echo")] })
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
    const good = {
      host: `127.0.0.1:${port}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${token}`
    }
    const { authorization: _, ...anonymous } = good
    assert.strictEqual(await status(url, anonymous, body), 401)
    assert.strictEqual(await status(url, { ...good, authorization: "Bearer tg_wrong" }, body), 401)
    assert.strictEqual(await status(url, { ...good, host: "evil.example" }, body), 403)
    assert.strictEqual(await status(url, { ...good, origin: "http://evil.example" }, body), 403)
    assert.strictEqual(await status(`${url}x`, good, body), 404)
    assert.strictEqual(await status(url, { ...good, "mcp-session-id": "another" }, body), 404)
    assert.strictEqual(await status(url, good, JSON.stringify({ a: "x".repeat(17 * 1024 * 1024) })), 413)
    const viewer = await tollgate(at, ["tokens", "add", "viewer", "--scope", "view"])
    const [secret = ""] = /tg_[\w-]+/.exec(viewer.stdout) ?? []
    assert.strictEqual(await status(url, { ...good, authorization: `Bearer ${secret}` }, body), 403)
  })

  it("hears at once that its stream is there, keeps its call whatever another token does, and ends with its token (G20)", async () => {
    const { fix, url } = await served({ tools: [tool("hangs", { does: "silence" })] }, "--dangerously-allow-all")
    const added = async (name: string) => {
      const { stdout } = await tollgate(at, ["tokens", "add", name, "--scope", "operate"])
      return /tg_[\w-]+/.exec(stdout)?.[0] ?? ""
    }
    const [mine, other] = [await added("mine"), await added("other")]
    const { begun, headers, posted } = bare(url)
    const cancelled = () => fix.logged().filter((line) => line.startsWith("cancelled")).length
    const calls = () => fix.logged().filter((line) => line.startsWith("call")).length
    const [session, gone] = [await begun(mine), await begun(mine)]
    const leaving = new AbortController()
    const hangs = { id: 1, method: "tools/call", params: { name: "fix__hangs", arguments: { a: 2 } } }
    const left = posted(mine, hangs, gone, leaving.signal).then((answer) => answer.text())
    await until(() => calls() === 1)
    leaving.abort()
    await left.catch(() => "cut off")
    const call = await posted(
      mine,
      { id: 1, method: "tools/call", params: { name: "fix__hangs", arguments: {} } },
      session
    )
    const stream = await fetch(url, { headers: headers(mine, session) })
    assert.strictEqual(stream.status, 200)
    await until(() => calls() === 2)
    assert.strictEqual(cancelled(), 0)
    for (let round = 0; round < 130; round++) await begun(other)
    for (const method of ["GET", "DELETE"])
      assert.strictEqual((await fetch(url, { method, headers: headers(other, session) })).status, 404, method)
    assert.strictEqual((await posted(other, { id: 2, method: "ping" }, session)).status, 404)
    assert.strictEqual((await posted(mine, { id: 2, method: "ping" }, session)).status, 200)
    assert.strictEqual((await tollgate(at, ["tokens", "revoke", "mine"])).code, 0)
    const ended = await Promise.all([call, stream].map((one) => one.text().catch(() => "cut off")))
    assert.notInclude(ended.join(""), "result")
    assert.strictEqual((await posted(mine, { id: 3, method: "ping" }, session)).status, 401)
    // The one whose client is gone, too.
    await until(() => cancelled() === 2)
  })

  it.each(["runs", "has ended", "waits for approval"] as const)(
    "gets the result of its call, which runs once, by calling again where its connection was lost while it %s (R4, X2)",
    async (when) => {
      const waits = when === "waits for approval"
      const offer = { tools: [tool("held", { does: "held" })] }
      const { fix, token, url } = await served(offer, ...(waits ? [] : ["--dangerously-allow-all"]))
      const { begun, posted } = bare(url)
      const logged = (start: string) => fix.logged().filter((line) => line.startsWith(start)).length
      const body = { id: 1, method: "tools/call", params: { name: "fix__held", arguments: { a: 1 } } }
      const called = async (signal?: AbortSignal) => {
        const answer = await posted(token, body, await begun(token), signal)
        return answer.text()
      }
      const leaving = new AbortController()
      const left = called(leaving.signal)
      if (waits) await until(async () => (await openAt(at)).length === 1)
      else await until(() => logged("call") === 1)
      leaving.abort()
      await left.catch(() => "cut off")
      await until(() => kept() === 1)
      const free = () => fs.writeFileSync(`${fix.file}.free`, "")
      if (when === "has ended") {
        free()
        await until(() => logged("answered") === 1)
      }
      const again = called()
      if (waits) {
        const requests = await openAt(at)
        assert.lengthOf(requests, 1)
        assert.deepStrictEqual(await answerAt(at, requests, "approve"), [{ taken: true }])
      }
      free()
      assert.include(await again, 'echo {\\"a\\":1}')
      assert.deepStrictEqual([logged("call"), logged("cancelled")], [1, 0])
      if (waits) return
      assert.include(await called(), 'echo {\\"a\\":1}')
      assert.strictEqual(logged("call"), 2)
    }
  )

  it("hears of which of its requests an error is, whatever refuses it (G20)", async () => {
    const { token, url } = await served({ tools: [tool("echo")] })
    const { begun, headers } = bare(url)
    const session = await begun(token)
    const body = JSON.stringify({ jsonrpc: "2.0", id: "mine", method: "tools/list" })
    const good = headers(token, session)
    const idOf = async (more: Readonly<Record<string, string>>, said = body): Promise<unknown> => {
      const response = await fetch(url, { method: "POST", headers: { ...good, ...more }, body: said })
      assert.isFalse(response.ok)
      const { error, id } = (await response.json()) as {
        readonly error: { readonly message: string }
        readonly id?: unknown
      }
      assert.isNotEmpty(error.message)
      return id
    }
    assert.strictEqual(await idOf({ "mcp-session-id": "another" }), "mine")
    assert.strictEqual(await idOf({ accept: "application/json" }), "mine")
    assert.strictEqual(await idOf({ "mcp-protocol-version": "1999-01-01" }), "mine")
    assert.isNull(await idOf({}, "no JSON"))
  })

  it("is refused where it uses the id of a request that is open, whose answer it does not get (G20)", async () => {
    const { fix, token, url } = await served(
      { tools: [tool("held", { does: "held" }), tool("echo")] },
      "--dangerously-allow-all"
    )
    const { begun, headers, posted } = bare(url)
    const session = await begun(token)
    const call = (name: string) =>
      posted(token, { id: 1, method: "tools/call", params: { name: `fix__${name}`, arguments: {} } }, session)
    const first = await call("held")
    await until(() => fix.logged().includes("call held {}"))
    const second = await call("echo")
    assert.strictEqual(second.status, 400)
    const { error, id } = (await second.json()) as { error: { message: string }; id?: unknown }
    assert.include(error.message, "The request with the id 1 is not answered yet")
    assert.isUndefined(id)
    const inexact =
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"fix__echo","arguments":{"n":9007199254740993}}}'
    const misread = await fetch(url, { method: "POST", headers: headers(token, session), body: inexact })
    assert.strictEqual(misread.status, 400)
    assert.include(
      await misread.text(),
      '"id":2,"error":{"code":-32602,"message":"Invalid params: the number 9007199254740993'
    )
    fs.writeFileSync(`${fix.file}.free`, "")
    assert.include(await first.text(), "echo {}")
    assert.include(await (await call("echo")).text(), "echo {}")
    assert.deepStrictEqual(
      fix.logged().filter((line) => line.startsWith("call")),
      ["call held {}", "call echo {}"]
    )
  })

  it("keeps a call whose connection was lost while its client begins others, answers the same request, and ends it with its token (G20, R4)", async () => {
    const { fix, url } = await served(
      { tools: [tool("held", { does: "held" }), tool("hangs", { does: "silence" })] },
      "--dangerously-allow-all"
    )
    const { stdout } = await tollgate(at, ["tokens", "add", "mine", "--scope", "operate"])
    const [mine = ""] = /tg_[\w-]+/.exec(stdout) ?? []
    const { begun, posted } = bare(url)
    const logged = (start: string) => fix.logged().filter((line) => line.startsWith(start)).length
    const session = await begun(mine)
    const lost = async (name: string, count: number) => {
      const leaving = new AbortController()
      const body = { id: count, method: "tools/call", params: { name, arguments: {} } }
      const left = posted(mine, body, session, leaving.signal).then((answer) => answer.text())
      await until(() => logged("call") === count)
      leaving.abort()
      await left.catch(() => "cut off")
      await until(() => kept() === 1)
      return body
    }
    const held = await lost("fix__held", 1)
    for (let round = 0; round < 130; round++) await begun(mine)
    const again = posted(mine, held, session).then((answer) => answer.text())
    fs.writeFileSync(`${fix.file}.free`, "")
    assert.include(await again, "echo {}")
    await until(() => kept() === 0)
    assert.deepStrictEqual([logged("call"), logged("cancelled")], [1, 0])
    await lost("fix__hangs", 2)
    assert.strictEqual((await tollgate(at, ["tokens", "revoke", "mine"])).code, 0)
    await until(() => logged("cancelled") === 1)
  })
})
