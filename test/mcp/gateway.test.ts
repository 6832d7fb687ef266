// @effect-diagnostics asyncFunction:off newPromise:off - drives real processes from outside
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Client } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import * as fs from "node:fs"
import * as path from "node:path"
import { type Place, place, scripted, tollgate } from "../cli/command.ts"
import { built } from "../support/built.ts"
import { answerAt, openAt } from "../support/elsewhere.ts"
import { until } from "../support/until.ts"
import { added as approved, tool } from "./support.ts"

type Era = "legacy" | "auto"

interface Asked {
  readonly message: string
}

const said = (result: { readonly content?: unknown }): string =>
  (result.content as ReadonlyArray<{ readonly text?: string }>).map(({ text }) => text ?? "").join("\n")

describe("an MCP client in front of the gateway", () => {
  let at: Place
  let clients: Array<Client> = []
  beforeEach(() => {
    at = place()
  })
  afterEach(async () => {
    await Promise.all(clients.map((client) => client.close()))
    clients = []
    at.remove()
  })

  const open = async (era: Era, answer?: (asked: Asked) => object, words: ReadonlyArray<string> = ["gateway"]) => {
    const client = new Client(
      { name: "host", version: "1" },
      {
        capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
        versionNegotiation: { mode: era }
      }
    )
    if (answer !== undefined)
      client.setRequestHandler("elicitation/create", async ({ params }) => answer(params as Asked) as never)
    const args = [await built(), "mcp", ...words]
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: at.work, env: { ...at.env }, stderr: "ignore" })
    )
    clients.push(client)
    return client
  }

  const config = () => JSON.parse(fs.readFileSync(path.join(at.env["TOLLGATE_HOME"]!, "config.json"), "utf8"))
  const added = async (plan: object, more: object = {}) => {
    scripted(at, [], more)
    return approved(at, "fix", plan)
  }

  const offer = {
    tools: [
      tool("echo", {}, { inputSchema: { type: "object", properties: { text: { type: "string" } } } }),
      tool("drop", {}, { annotations: { destructiveHint: true } })
    ],
    prompts: [{ name: "greet", arguments: [{ name: "who" }] }],
    resources: [{ uri: "file:///a.txt", name: "a" }],
    templates: [{ uriTemplate: "file:///{path}", name: "files" }]
  }

  for (const era of ["legacy", "auto"] as const) {
    it(`lists from what is known and calls what its user allows, ${era} (X2)`, async () => {
      const fix = await added(offer, { mcp: { gateway: { patience: 300_000 } } })
      const questions: Array<string> = []
      const decisions = ["once", "deny", "once"]
      const client = await open(era, ({ message }) => {
        questions.push(message)
        return { action: "accept", content: { decision: decisions.shift() } }
      })
      assert.strictEqual(client.getProtocolEra(), era === "auto" ? "modern" : "legacy")
      const { tools } = await client.listTools()
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        ["fix__drop", "fix__echo"]
      )
      assert.strictEqual(fix.started(), 1)
      const yes = await client.callTool({ name: "fix__echo", arguments: { text: "hi\u202e" } })
      assert.strictEqual(said(yes), 'echo {"text":"hi\u202e"}')
      assert.include(questions[0], '"text": "hi\\u202e"')
      const no = await client.callTool({ name: "fix__echo", arguments: { text: "again" } })
      assert.isTrue(no.isError)
      assert.include(said(no), "denied")
      assert.strictEqual(fix.calls().length, 1)
      assert.strictEqual(questions.length, 2)

      const { prompts } = await client.listPrompts()
      assert.deepStrictEqual(
        prompts.map(({ name }) => name),
        ["fix__greet"]
      )
      const prompt = await client.getPrompt({ name: "fix__greet", arguments: { who: "you" } })
      assert.include(JSON.stringify(prompt), 'prompt greet {\\"who\\":\\"you\\"}')
      // What is announced is honoured: what a later revision listens for would be subscribed at no server.
      const isLegacy = client.getProtocolEra() === "legacy"
      assert.strictEqual(client.getServerCapabilities()?.resources?.subscribe === true, isLegacy)
      const { resources } = await client.listResources()
      assert.strictEqual(resources[0]?.uri, "fix+file:///a.txt")
      assert.include(JSON.stringify(await client.readResource({ uri: "fix+file:///a.txt" })), "resource file:///a.txt")
      const { resourceTemplates } = await client.listResourceTemplates()
      assert.strictEqual(resourceTemplates[0]?.uriTemplate, "fix+file:///{path}")
      const refusal = (asked: Promise<unknown>): Promise<unknown> =>
        asked.then(
          () => undefined,
          ({ code, data, message }: { code: unknown; data: unknown; message: unknown }) => ({ code, data, message })
        )
      assert.deepStrictEqual(await refusal(client.getPrompt({ name: "fix__gone" })), {
        code: -32602,
        data: undefined,
        message: "No approved server has the prompt `fix__gone`"
      })
      assert.deepStrictEqual(await refusal(client.readResource({ uri: "gone+file:///a.txt" })), {
        code: -32602,
        data: { uri: "gone+file:///a.txt" },
        message: "No approved server has the resource `gone+file:///a.txt`"
      })
    })
  }

  it("is told that a call waits, and gets it once by calling again, also after a restart (X2)", async () => {
    const fix = await added(offer, { mcp: { gateway: { patience: 500 } } })
    const asked: Array<string> = []
    let client = await open("auto", ({ message }) => {
      asked.push(message)
      return { action: "accept", content: { decision: "once" } }
    })
    const call = () => client.callTool({ name: "fix__drop", arguments: { path: "a" } })
    const first = await call()
    assert.isTrue(first.isError)
    assert.match(said(first), /^approval approval_\w+ is pending/)
    assert.include(said(await call()), "is pending")
    const requests = await openAt(at)
    assert.lengthOf(requests, 1)
    assert.strictEqual(requests[0]?.risk, "high")
    await client.close()
    assert.deepStrictEqual(await answerAt(at, requests, "approve"), ["left"])
    assert.lengthOf(fix.calls(), 0)
    client = await open("auto")
    // A slow machine takes longer than the patience to take the decision up; the client calls again, as it is told to.
    let done = await call()
    for (let again = 0; again < 60 && said(done).includes("is pending"); again++) done = await call()
    assert.include(said(done), 'echo {"path":"a"}')
    assert.lengthOf(fix.calls(), 1)
    assert.lengthOf(asked, 0)
  })

  it("calls in the project that its directory is in by then (R16, X2)", async () => {
    await added(offer)
    const client = await open("legacy", undefined, ["gateway", "--dangerously-allow-all"])
    const base = path.dirname(at.work)
    for (const project of [at.work, base]) {
      if (project === base) fs.mkdirSync(path.join(base, ".git"))
      assert.include(said(await client.callTool({ name: "fix__echo", arguments: { text: project } })), project)
      const { stdout } = await tollgate(at, ["sessions", "list", "--all", "--json"])
      const listed = JSON.parse(stdout) as ReadonlyArray<{ readonly project: string }>
      assert.include(
        listed.map((one) => one.project),
        project
      )
    }
  })

  it("gets the result of a call that ends when its project is gone (R16, X2)", async () => {
    const fix = await added({ tools: [tool("held", { does: "held" })] })
    const client = await open("legacy", undefined, ["gateway", "--dangerously-allow-all"])
    const result = { content: [{ type: "text" as const, text: "done" }], structuredContent: { done: true } }
    const called = client.callTool({ name: "fix__held", arguments: { result } })
    await until(() => fix.calls().length > 0)
    fs.renameSync(at.work, `${at.work}-gone`)
    fs.writeFileSync(`${fix.file}.free`, "")
    assert.deepStrictEqual(await called, result)
  })

  it("answers with what it was given for this call alone, once, unchanged (X2)", async () => {
    const fix = await added(offer, { mcp: { gateway: { patience: 300 } } })
    const client = await open("auto", () => ({ action: "cancel" }))
    const other = await open("auto", () => ({ action: "cancel" }))
    const yes = { approval: { action: "accept", content: { decision: "once" } } }
    const call = async (of: Client, text: string, more: object = {}) => {
      const params = { name: "fix__echo", arguments: { text }, ...more }
      const result: unknown = await of
        .callTool(params, { allowInputRequired: true })
        .catch((error: Error) => ({ content: [{ text: error.message }] }))
      return result as { readonly requestState?: string; readonly content?: unknown }
    }
    const requestState = (await call(client, "a")).requestState ?? ""
    assert.isNotEmpty(requestState)
    const middle = Math.floor(requestState.length / 2)
    const flipped = requestState[middle] === "A" ? "B" : "A"
    const tampered = `${requestState.slice(0, middle)}${flipped}${requestState.slice(middle + 1)}`
    await call(client, "a", { requestState: tampered, inputResponses: yes })
    await call(client, "b", { requestState, inputResponses: yes })
    await call(other, "a", { requestState, inputResponses: yes })
    assert.lengthOf(fix.calls(), 0)
    const done = await call(client, "a", { requestState, inputResponses: yes })
    assert.include(said(done), 'echo {"text":"a"}')
    await call(client, "a", { requestState, inputResponses: yes })
    assert.deepStrictEqual(fix.calls(), ['call echo {"text":"a"}'])
  })

  it("without a way to ask its user leaves it to the queue, and is denied by a mode (X2)", async () => {
    const fix = await added(offer, { mcp: { gateway: { patience: 300 } } })
    const client = await open("legacy")
    assert.include(said(await client.callTool({ name: "fix__echo", arguments: {} })), "is pending")
    const strict = await open("legacy", undefined, ["gateway", "--mode", "deny"])
    assert.isTrue((await strict.callTool({ name: "fix__echo", arguments: {} })).isError)
    const unknown = await strict.callTool({ name: "fix__none", arguments: {} })
    assert.include(said(unknown), "there is no tool of that name")
    assert.lengthOf(fix.calls(), 0)
  })

  it("searches where the definitions are too many, and the gate sees the real tool (X2)", async () => {
    const fix = await added({ many: 300 }, { mcp: { gateway: { budget: 1000 } } })
    const client = await open("auto", undefined, ["gateway", "--dangerously-allow-all"])
    assert.deepStrictEqual(
      (await client.listTools()).tools.map(({ name }) => name),
      ["search_tools", "call_tool"]
    )
    const found = await client.callTool({ name: "search_tools", arguments: { query: "tool17" } })
    assert.include(said(found), '"fix__tool17"')
    const given = { name: "fix__tool17", arguments: { a: 1 } }
    assert.include(said(await client.callTool({ name: "call_tool", arguments: given })), 'echo {"a":1}')
    assert.deepStrictEqual(fix.calls(), ['call tool17 {"a":1}'])
  })

  it("hears of the resources alone that it watches, and of their parts (X2, G11)", async () => {
    const update = (uri: string) =>
      JSON.stringify({ jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri } })
    const done = JSON.stringify({ jsonrpc: "2.0", result: { content: [] } }).replace("{", '{"id":ID,')
    const line = ["note://a", "note://a/b", "note://ab", "note://c"].map(update).concat(done).join("\n")
    const fix = await added({ ...offer, tools: [tool("turn", { does: "raw", line })] })
    const client = await open("legacy", undefined, ["gateway", "--dangerously-allow-all"])
    const heard: Array<string> = []
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri))
    const turn = () => client.callTool({ name: "fix__turn", arguments: {} })
    await turn()
    await client.subscribeResource({ uri: "fix+note://a" })
    await turn()
    await client.unsubscribeResource({ uri: "fix+note://a" })
    await turn()
    assert.deepStrictEqual(heard, ["fix+note://a", "fix+note://a/b"])
    assert.deepStrictEqual(
      fix.logged().filter((one) => one.startsWith("resources/")),
      ["resources/subscribe note://a", "resources/unsubscribe note://a"]
    )
  })

  it("reads what a result names, by the URI that it has there (X2)", async () => {
    const content = [
      { type: "resource_link", uri: "file:///a.txt", name: "a" },
      { type: "resource", resource: { uri: "file:///a.txt", text: "a" } },
      { type: "text", text: "file:///a.txt" }
    ]
    const line = JSON.stringify({ jsonrpc: "2.0", result: { content } }).replace("{", '{"id":ID,')
    await added({ ...offer, tools: [tool("names", { does: "raw", line })] })
    const client = await open("legacy", undefined, ["gateway", "--dangerously-allow-all"])
    const [link, embedded, text] = (await client.callTool({ name: "fix__names", arguments: {} })).content
    const uri = link?.type === "resource_link" ? link.uri : ""
    assert.strictEqual(uri, "fix+file:///a.txt")
    assert.strictEqual(embedded?.type === "resource" ? embedded.resource.uri : "", uri)
    assert.deepStrictEqual(text, { type: "text", text: "file:///a.txt" })
    assert.include(JSON.stringify(await client.readResource({ uri })), "resource file:///a.txt")
  })

  it("has Tollgate's own tools of tollgate mcp serve, behind the same gate, and nothing of MCP servers (X2)", async () => {
    await added(offer)
    fs.writeFileSync(path.join(at.work, "a.txt"), "one\n")
    const client = await open("auto", undefined, ["serve", "--mode", "deny"])
    const names = (await client.listTools()).tools.map(({ name }) => name)
    assert.includeMembers(names, ["read_file", "run_shell", "write_file"])
    const read = await client.callTool({ name: "read_file", arguments: { path: "a.txt" } })
    assert.include(said(read), "one")
    const write = await client.callTool({ name: "write_file", arguments: { path: "a.txt", content: "two\n" } })
    assert.isTrue(write.isError)
    assert.strictEqual(fs.readFileSync(path.join(at.work, "a.txt"), "utf8"), "one\n")
    const home = await client.callTool({ name: "read_file", arguments: { path: path.join(at.home, ".ssh/id_rsa") } })
    assert.isTrue(home.isError)
    assert.deepStrictEqual(Object.keys(config()), ["profiles", "mcp"])
    assert.notIncludeMembers(names, ["fix__echo"])
    assert.deepStrictEqual((await client.listPrompts()).prompts, [])
    assert.deepStrictEqual((await client.listResources()).resources, [])
    assert.deepStrictEqual((await client.listResourceTemplates()).resourceTemplates, [])
    const foreign = client.readResource({ uri: "fix+file:///a.txt" }).catch((error: Error) => error.message)
    assert.include(await foreign, "No approved server has the resource")
  })
})
