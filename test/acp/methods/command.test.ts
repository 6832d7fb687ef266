// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { methods } from "@agentclientprotocol/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { kindOf } from "../../../src/acp/Call.ts"
import * as Builtin from "../../../src/tools/Builtin.ts"
import { scripted } from "../../cli/command.ts"
import { begun, type Connected, prompted, refusal } from "../Client.ts"
import { call, done, editors, ends } from "../editors.ts"
import { methodsOf } from "../Protocol.ts"

const touching = (name: string) => call("run_shell", { command: `touch ${name}` })

describe("the methods of an agent", () => {
  const { at, connected, working } = editors()
  const exists = (name: string) => fs.existsSync(path.join(at.work, name))
  const announcedBy = ({ stdout }: Connected) =>
    (JSON.parse(stdout().split("\n", 1)[0] ?? "") as { readonly result: Readonly<Record<string, unknown>> }).result

  it("are the stable ones, all of which work that are announced, and no other is (X3)", async () => {
    scripted(at, [done])
    const { editor, session } = await working()
    const { agentInfo: _, ...announced } = announcedBy(editor)
    assert.deepStrictEqual(announced, {
      protocolVersion: 1,
      authMethods: [],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: false, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} }
      }
    })
    const given = { sessionId: session, cwd: at.work, mcpServers: [] }
    const asked: Readonly<Record<string, object>> = {
      "session/prompt": { sessionId: session, prompt: [{ type: "text", text: "hello" }] },
      "session/set_mode": { sessionId: session, modeId: "edits" },
      "session/set_config_option": { sessionId: session, configId: "mode", value: "ask" },
      "session/list": {},
      "session/close": { sessionId: session },
      "session/load": given,
      "session/resume": given,
      "session/delete": { sessionId: session },
      "session/new": { cwd: at.work, mcpServers: [] }
    }
    for (const [method, params] of Object.entries(asked)) await editor.agent.request(method, params)
    const others = ["authenticate", "logout"]
    for (const method of others)
      assert.strictEqual((await refusal(editor.agent.request(method, { methodId: "none" }))).code, -32601, method)
    const again = refusal(editor.agent.request(methods.agent.initialize, { protocolVersion: 1 }))
    assert.strictEqual((await again).code, -32602)
    assert.sameMembers([...Object.keys(asked), ...others, "initialize", "session/cancel"], [...methodsOf("agent")])
  })

  it("let a prompt be taken back as a turn is cancelled (X3)", async () => {
    scripted(at, [call("run_shell", { command: "touch begun; sleep 600" }), done])
    const { editor, session } = await working()
    const controller = new AbortController()
    const turn = editor.agent.request(
      methods.agent.session.prompt,
      { sessionId: session, prompt: [{ type: "text", text: "go" }] },
      { cancellationSignal: controller.signal }
    )
    await editor.until(() => editor.of("tool_call_update").some(({ status }) => status === "in_progress"))
    controller.abort()
    assert.strictEqual((await turn).stopReason, "cancelled")
    assert.strictEqual(ends(editor)[0]?.status, "failed")
  })

  it("list sessions in pages, each of them once (X3)", async () => {
    scripted(at, [done])
    const editor = await connected()
    const made = new Set<string>()
    for (let count = 0; count < 101; count++) made.add(await begun(editor, at.work))
    const list = (cursor?: string) =>
      editor.agent.request(methods.agent.session.list, { cwd: at.work, ...(cursor === undefined ? {} : { cursor }) })
    const first = await list()
    const second = await list(first.nextCursor ?? "none")
    assert.deepStrictEqual([first.sessions.length, second.sessions.length, second.nextCursor], [100, 1, undefined])
    assert.deepStrictEqual(new Set([...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId)), made)
    assert.strictEqual((await refusal(list("next"))).code, -32602)
  })

  it.each([
    { mode: "ask", asked: 2, ran: true },
    { mode: "edits", asked: 1, ran: true },
    { mode: "plan", asked: 0, ran: false },
    { mode: "deny", asked: 0, ran: false }
  ])("set the mode $mode, which decides from then on, and tell it (X3)", async ({ asked, mode, ran }) => {
    scripted(at, [touching("made"), call("write_file", { path: "written", content: "x" }), done])
    const { editor, session } = await working()
    await editor.agent.request(methods.agent.session.setMode, { sessionId: session, modeId: mode })
    await prompted(editor, session, "go")
    assert.deepStrictEqual([editor.permissions.length, exists("made"), exists("written")], [asked, ran, ran])
    assert.strictEqual(editor.of("current_mode_update").at(-1)?.currentModeId ?? "ask", mode)
  })

  it("offer to run everything unasked only where Tollgate was started so, and keep it for no other process (X3)", async () => {
    scripted(at, [touching("one"), done])
    const danger = await working({ args: ["--dangerously-allow-all"] })
    await prompted(danger.editor, danger.session, "go")
    assert.lengthOf(danger.editor.permissions, 0)
    assert.isTrue(exists("one"))
    const { session } = danger
    const set = (editor: Connected, value: string) =>
      editor.agent.request(methods.agent.session.setConfigOption, { sessionId: session, configId: "mode", value })
    await set(danger.editor, "ask")
    await set(danger.editor, "allow")
    await danger.editor.close()
    scripted(at, [touching("two"), done])
    const editor = await connected({ permission: () => "reject" })
    const { modes } = await editor.agent.request(methods.agent.session.load, {
      sessionId: session,
      cwd: at.work,
      mcpServers: []
    })
    assert.notInclude(modes?.availableModes.map(({ id }) => id) ?? [], "allow")
    assert.strictEqual((await refusal(set(editor, "allow"))).code, -32602)
    await prompted(editor, session, "go")
    assert.lengthOf(editor.permissions, 1)
    assert.isFalse(exists("two"))
  })

  it("tell what a turn has cost beside the context that it uses (X3)", async () => {
    scripted(at, [{ steps: [{ say: "Done." }, { usage: { inputTokens: 1_000_000, outputTokens: 500_000 } }] }])
    const file = path.join(at.env["TOLLGATE_HOME"]!, "config.json")
    const { profiles } = JSON.parse(fs.readFileSync(file, "utf8")) as { readonly profiles: { readonly test: object } }
    const priced = { ...profiles.test, contextWindow: 2_000_000, price: { input: 3, output: 4 } }
    fs.writeFileSync(file, JSON.stringify({ profiles: { test: priced } }))
    const { editor, session } = await working()
    await prompted(editor, session, "go")
    const { cost, used } = editor.of("usage_update").at(-1)!
    assert.deepStrictEqual({ cost, used }, { cost: { amount: 5, currency: "USD" }, used: 1_500_000 })
  })

  it("tell of every call what kind it is, and of one on a file where (X3)", async () => {
    const others = Builtin.tools.map(({ name }) => name).filter((name) => kindOf(name) === "other")
    // A question is none of the kinds that the protocol has.
    assert.deepStrictEqual(others, ["ask_user"])
    fs.writeFileSync(path.join(at.work, "a.md"), "one\n")
    const patch = "*** Begin Patch\n*** Update File: a.md\n@@\n-one\n+two\n*** End Patch"
    const turns = [
      { kind: "read", turn: call("read_file", { path: "a.md" }), place: "a.md" },
      { kind: "read", turn: call("list_dir", { path: "." }), place: "." },
      { kind: "search", turn: call("grep", { pattern: "one", path: "a.md" }), place: "a.md" },
      { kind: "edit", turn: call("apply_patch", { patch }), place: "a.md" },
      { kind: "execute", turn: touching("made"), place: undefined },
      { kind: "think", turn: call("todo", { items: [] }), place: undefined }
    ]
    scripted(at, [...turns.map(({ turn }) => turn), done])
    const { editor, session } = await working()
    await prompted(editor, session, "go")
    const begins = editor.of("tool_call")
    assert.deepStrictEqual(
      begins.map(({ kind }) => String(kind)),
      turns.map(({ kind }) => kind)
    )
    for (const [index, { place }] of turns.entries()) {
      const { locations, toolCallId } = begins[index]!
      const later = editor.of("tool_call_update").filter((one) => one.toolCallId === toolCallId)
      const last = later.findLast((one) => (one.locations ?? []).length > 0)?.locations ?? locations
      assert.deepStrictEqual(last, place === undefined ? [] : [{ path: path.join(at.work, place) }])
    }
  })
})
