// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { type ContentBlock, methods } from "@agentclientprotocol/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { scripted, tollgate } from "../cli/command.ts"
import { begun, type Connected, prompted, refusal } from "./Client.ts"
import { call, editors } from "./editors.ts"

const writing = call("write_file", { path: "notes.md", content: "one\ntwo\n" })
const done = { repeat: true, steps: [{ think: "Hm. " }, { say: ["All ", "done."] }] }

describe("tollgate acp", () => {
  const { at, connected } = editors()

  it("asks with the change, and runs what was allowed (X3)", async () => {
    scripted(at, [writing, done])
    const editor = await connected()
    const session = await begun(editor, at.work)
    const { stopReason } = await prompted(editor, session, "write it")
    assert.strictEqual(stopReason, "end_turn")
    assert.strictEqual(editor.said(session), "All done.")
    assert.strictEqual(fs.readFileSync(path.join(at.work, "notes.md"), "utf8"), "one\ntwo\n")
    const [asked, ...others] = editor.permissions
    assert.lengthOf(others, 0)
    const file = path.join(at.work, "notes.md")
    assert.deepInclude(asked?.toolCall.content as ReadonlyArray<unknown>, {
      type: "diff",
      path: file,
      oldText: null,
      newText: "one\ntwo\n"
    })
    assert.deepStrictEqual(asked?.toolCall.locations, [{ path: file }])
    assert.match(asked?.toolCall.title ?? "", /^Write notes\.md \((?:low|medium|high) risk\)$/)
    assert.deepStrictEqual(
      new Set(asked?.options.map(({ kind }) => kind)),
      new Set(["allow_once", "allow_always", "reject_once"])
    )
    const [began] = editor.of("tool_call")
    assert.strictEqual(began?.kind, "edit")
    const statuses = [began, ...editor.of("tool_call_update")].flatMap((one) => one?.status ?? [])
    assert.deepStrictEqual(statuses, ["pending", "in_progress", "completed"])
    assert.include(JSON.stringify(editor.of("agent_thought_chunk")), "Hm. ")
  })

  it("ends a rejected call without running it, and the model is told (X3)", async () => {
    scripted(at, [writing, done])
    const editor = await connected({ permission: () => "reject" })
    const session = await begun(editor, at.work)
    const { stopReason } = await prompted(editor, session, "write it")
    assert.strictEqual(stopReason, "end_turn")
    assert.isFalse(fs.existsSync(path.join(at.work, "notes.md")))
    assert.strictEqual(editor.of("tool_call_update").at(-1)?.status, "failed")
  })

  it("takes no option that it has not offered (X3)", async () => {
    scripted(at, [writing, done])
    const editor = await connected({ permission: () => "allow_everything" })
    const session = await begun(editor, at.work)
    await prompted(editor, session, "write it")
    assert.isFalse(fs.existsSync(path.join(at.work, "notes.md")))
    // The person has said nothing: neither the model nor the audit is told otherwise.
    assert.include(JSON.stringify(editor.of("tool_call_update")), "its answer is malformed, or none of those offered")
    const { stdout } = await tollgate(at, ["approvals", "audit", "--json"])
    assert.include(stdout, "frontend acp")
  })

  it("takes no U+0000 in the name of a directory or of a session (X3)", async () => {
    scripted(at, [done])
    const { agent } = await connected()
    const cwd = `${at.work}\0`
    const { message } = await refusal(agent.request("session/new", { cwd, mcpServers: [] }))
    assert.strictEqual(message, "cwd: no path has the character U+0000.")
    const code = async (method: string, params: object) => (await refusal(agent.request(method, params))).code
    assert.strictEqual(await code("session/list", { cwd }), -32602)
    const session = { sessionId: cwd, cwd: at.work, mcpServers: [] }
    for (const method of ["session/load", "session/resume"]) {
      const refused = await refusal(agent.request(method, session))
      assert.strictEqual(refused.code, -32002, method)
      assert.match(refused.message, /^Session ".*\\u0000" does not exist\.$/, method)
    }
  })

  it("allows for the session what the option says, and asks about anything else (X3)", async () => {
    const command = (text: string) => call("run_shell", { command: text })
    scripted(at, [command("printf a >> ran"), command("printf a >> ran"), command("printf b >> ran"), done])
    const editor = await connected({ permission: () => "session" })
    const session = await begun(editor, at.work)
    await prompted(editor, session, "run it")
    assert.strictEqual(fs.readFileSync(path.join(at.work, "ran"), "utf8"), "aab")
    assert.lengthOf(editor.permissions, 2)
    const [shown] = editor.permissions
    assert.deepStrictEqual(shown?.toolCall.rawInput, { command: "printf a >> ran" })
    assert.include(JSON.stringify(shown?.toolCall.content), "printf a >> ran")
  })

  it.each([
    { option: "once", asked: 4, ran: 4 },
    // The task ends between the second and the third.
    { option: "task", asked: 2, ran: 4 },
    { option: "session", asked: 1, ran: 4 },
    { option: "always", asked: 1, ran: 4 },
    { option: "reject", asked: 4, ran: 0 }
  ])("asks again as often as $option says (X3)", async ({ asked, option, ran }) => {
    const command = call("run_shell", { command: "mkdir -p made" })
    const said = { steps: [{ say: "Done." }] }
    scripted(at, [command, command, said, command, command, said])
    const editor = await connected({ permission: () => option })
    const session = await begun(editor, at.work)
    await prompted(editor, session, "run it")
    await prompted(editor, session, "run it again")
    assert.strictEqual(fs.existsSync(path.join(at.work, "made")), ran > 0)
    assert.lengthOf(
      editor.of("tool_call_update").filter(({ status }) => status === "completed"),
      ran
    )
    assert.lengthOf(editor.permissions, asked)
    const { options = [], toolCall } = editor.permissions[0] ?? {}
    const always = options.find(({ optionId }) => optionId === "always")
    assert.match(always?.name ?? "", /^Always allow: \S/)
    assert.include(JSON.stringify(toolCall?.content), "always: saves this rule")
    assert.deepStrictEqual(
      options.map(({ kind }) => kind).filter((kind) => !["allow_once", "allow_always", "reject_once"].includes(kind)),
      []
    )
  })

  it("allows what fits a wider rule, and asks about anything else (X3)", async () => {
    const write = (name: string) => call("write_file", { path: name, content: "x" })
    const said = { steps: [{ say: "Done." }] }
    scripted(at, [write("d/a.md"), write("d/b.md"), write("e/c.md"), said])
    const editor = await connected({
      permission: ({ toolCall }) => (JSON.stringify(toolCall.rawInput).includes("d/") ? "wider" : "reject")
    })
    const session = await begun(editor, at.work)
    await prompted(editor, session, "write them")
    const shown = editor.permissions.map(({ toolCall }) => JSON.stringify(toolCall.rawInput).slice(0, 40))
    assert.lengthOf(shown, 2, shown.join("\n"))
    assert.match(
      editor.permissions[0]?.options.find(({ optionId }) => optionId === "wider")?.name ?? "",
      /^Allow for this session: .*d\//
    )
    assert.isTrue(fs.existsSync(path.join(at.work, "d/b.md")))
    assert.isFalse(fs.existsSync(path.join(at.work, "e/c.md")))
  })

  it("ends a running command when the turn is cancelled, and pending questions with it (X3)", async () => {
    scripted(at, [call("run_shell", { command: "printf begun; sleep 600" }), writing, done])
    const editor = await connected({
      permission: ({ toolCall }) => (toolCall.kind === "execute" ? "once" : undefined)
    })
    const session = await begun(editor, at.work)
    const turn = prompted(editor, session, "run it")
    await editor.until(() => JSON.stringify(editor.of("tool_call_update")).includes("begun"))
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session })
    assert.strictEqual((await turn).stopReason, "cancelled")
    const asking = prompted(editor, session, "write it")
    await editor.until(() => editor.permissions.length === 2)
    await editor.agent.notify(methods.agent.session.cancel, { sessionId: session })
    assert.strictEqual((await asking).stopReason, "cancelled")
    assert.isFalse(fs.existsSync(path.join(at.work, "notes.md")))
  })

  it("takes a question that was cancelled for the end of the turn, and for no answer (X3)", async () => {
    scripted(at, [writing, done])
    const editor = await connected({ permission: () => "cancelled" })
    const session = await begun(editor, at.work)
    assert.strictEqual((await prompted(editor, session, "write it")).stopReason, "cancelled")
    assert.isFalse(fs.existsSync(path.join(at.work, "notes.md")))
  })

  it("announces what works and refuses the rest by the codes of the protocol (X3)", async () => {
    scripted(at, [done])
    const editor = await connected()
    const { agent } = editor
    const session = await begun(editor, at.work)
    const ask = (method: string, params: object = {}) => refusal(agent.request(method, params))
    for (const method of ["session/fork", "session/set_title", "authenticate", "logout", "nonsense", "session/"])
      assert.strictEqual((await ask(method, { methodId: "x", sessionId: session })).code, -32601, method)
    assert.strictEqual((await ask("session/new", { cwd: "here", mcpServers: [] })).code, -32602)
    assert.strictEqual((await ask("session/new", { cwd: path.join(at.work, "none"), mcpServers: [] })).code, -32602)
    assert.strictEqual((await ask("session/new", {})).code, -32602)
    assert.strictEqual((await ask("session/prompt", { sessionId: "nobody", prompt: [] })).code, -32002)
    assert.strictEqual((await ask("session/load", { sessionId: "nobody", cwd: at.work, mcpServers: [] })).code, -32002)
    for (const [configId, value] of [
      ["mode", "yolo"],
      ["mode", "allow"],
      ["model", "gpt-0"],
      ["colour", "red"]
    ])
      assert.strictEqual(
        (await ask("session/set_config_option", { sessionId: session, configId, value })).code,
        -32602,
        `${configId} ${value}`
      )
    assert.strictEqual((await ask("session/set_mode", { sessionId: session, modeId: "yolo" })).code, -32602)
  })

  it("sets mode and model so that they hold, are told, and are there again in the next process (X3)", async () => {
    const script = path.join(at.home, "other.json")
    fs.writeFileSync(script, JSON.stringify({ turns: [writing, { repeat: true, steps: [{ say: "Other." }] }] }))
    scripted(at, [done])
    const file = path.join(at.env["TOLLGATE_HOME"]!, "config.json")
    const { profiles } = JSON.parse(fs.readFileSync(file, "utf8")) as { readonly profiles: object }
    const other = { provider: "scripted", script, maxAttempts: 1 }
    fs.writeFileSync(file, JSON.stringify({ profiles: { ...profiles, other }, profile: "test" }))
    const editor = await connected()
    const session = await begun(editor, at.work)
    const set = (configId: string, value: string) =>
      editor.agent.request(methods.agent.session.setConfigOption, { sessionId: session, configId, value })
    const currents = (options: ReadonlyArray<{ readonly id: string; readonly currentValue: unknown }>) =>
      Object.fromEntries(options.map(({ currentValue, id }) => [id, currentValue]))
    assert.deepStrictEqual(currents((await set("mode", "edits")).configOptions), { mode: "edits", model: "test" })
    assert.deepStrictEqual(currents((await set("model", "other")).configOptions), { mode: "edits", model: "other" })
    await prompted(editor, session, "write it")
    assert.strictEqual(editor.said(session), "Other.")
    assert.lengthOf(editor.permissions, 0)
    assert.isTrue(fs.existsSync(path.join(at.work, "notes.md")))
    assert.strictEqual(editor.of("current_mode_update").at(-1)?.currentModeId, "edits")
    assert.deepStrictEqual(currents(editor.of("config_option_update").at(-1)?.configOptions ?? []), {
      mode: "edits",
      model: "other"
    })
    await editor.close()
    const next = await connected()
    const { configOptions, modes } = await next.agent.request(methods.agent.session.resume, {
      sessionId: session,
      cwd: at.work
    })
    assert.deepStrictEqual(currents(configOptions ?? []), { mode: "edits", model: "other" })
    assert.strictEqual(modes?.currentModeId, "edits")
    assert.lengthOf(next.updates, 0)
  })

  it("lists sessions, tells a loaded one again, and closes and deletes it (X3)", async () => {
    scripted(at, [call("run_shell", { command: "printf hello" }), writing, done])
    const first = await connected()
    const session = await begun(first, at.work)
    await prompted(first, session, "write it")
    await first.close()
    const editor = await connected()
    const { agent } = editor
    const list = async (cwd: string) => (await agent.request(methods.agent.session.list, { cwd })).sessions
    const [listed, ...others] = await list(at.work)
    assert.lengthOf(others, 0)
    assert.deepInclude(listed, { sessionId: session, cwd: at.work, title: "write it" })
    assert.deepStrictEqual(await list(at.home), [])
    await agent.request(methods.agent.session.load, { sessionId: session, cwd: at.work, mcpServers: [] })
    assert.strictEqual(editor.said(session), first.said(session))
    const statusesOf = ({ of }: Connected) => of("tool_call_update", session).map(({ status }) => status)
    assert.deepStrictEqual(statusesOf(editor).slice(-1), ["completed"])
    assert.deepStrictEqual(
      editor.of("user_message_chunk").map(({ content }) => content),
      [{ type: "text", text: "write it" }]
    )
    assert.deepStrictEqual(
      editor.of("tool_call").map(({ toolCallId }) => toolCallId),
      first.of("tool_call").map(({ toolCallId }) => toolCallId)
    )
    const wrong = { sessionId: session, cwd: at.home, mcpServers: [] }
    assert.strictEqual((await refusal(agent.request(methods.agent.session.load, wrong))).code, -32602)
    await agent.request(methods.agent.session.close, { sessionId: session })
    assert.strictEqual((await refusal(prompted(editor, session, "more"))).code, -32002)
    await agent.request(methods.agent.session.resume, { sessionId: session, cwd: at.work })
    await prompted(editor, session, "more")
    await agent.request(methods.agent.session.delete, { sessionId: session })
    assert.deepStrictEqual(await list(at.work), [])
  })

  it("refuses a session that another process has open, and leaves it there (X3)", async () => {
    scripted(at, [done])
    const one = await connected()
    const other = await connected()
    const session = await begun(one, at.work)
    await prompted(one, session, "hello")
    const params = { sessionId: session, cwd: at.work, mcpServers: [] }
    const { code, message } = await refusal(other.agent.request(methods.agent.session.load, params))
    assert.strictEqual(code, -32010)
    assert.include(message, `is open in process ${one.child.pid}`)
    await prompted(one, session, "again")
    assert.lengthOf(other.updates, 0)
  })

  it("takes over a session whose process has died, with all that was said in it (X3)", async () => {
    scripted(at, [done])
    const one = await connected()
    const other = await connected()
    const session = await begun(one, at.work)
    await prompted(one, session, "hello")
    one.child.kill("SIGKILL")
    await one.ended
    await other.agent.request(methods.agent.session.load, { sessionId: session, cwd: at.work, mcpServers: [] })
    assert.strictEqual(other.said(session), "All done.")
    assert.strictEqual((await prompted(other, session, "again")).stopReason, "end_turn")
    assert.strictEqual(other.said(session), "All done.All done.")
  })

  it("keeps apart sessions of two directories in one process, and answers 40 requests at once (X3)", async () => {
    const two = fs.mkdtempSync(path.join(at.home, "two-"))
    const writes = (word: string) => ({
      when: word,
      steps: [{ call: { name: "write_file", arguments: { path: "notes.md", content: word } } }]
    })
    scripted(at, [writes("first"), writes("second"), done])
    const editor = await connected()
    const sessions = await Promise.all([begun(editor, at.work), begun(editor, two)])
    const [one = "", other = ""] = sessions
    const listing = Array.from({ length: 38 }, () => editor.agent.request(methods.agent.session.list, {}))
    const [turns, lists] = await Promise.all([
      Promise.all([prompted(editor, one, "first"), prompted(editor, other, "second")]),
      Promise.all(listing)
    ])
    assert.deepStrictEqual(
      turns.map(({ stopReason }) => stopReason),
      ["end_turn", "end_turn"]
    )
    for (const { sessions: listed } of lists) assert.lengthOf(listed, 2)
    assert.strictEqual(fs.readFileSync(path.join(at.work, "notes.md"), "utf8"), "first")
    assert.strictEqual(fs.readFileSync(path.join(two, "notes.md"), "utf8"), "second")
    for (const [index, session] of sessions.entries()) {
      const directory = [at.work, two][index]!
      assert.strictEqual(editor.said(session), "All done.")
      const [asked, ...others] = editor.permissions.filter(({ sessionId }) => sessionId === session)
      assert.lengthOf(others, 0)
      assert.deepStrictEqual(asked?.toolCall.locations, [{ path: path.join(directory, "notes.md") }])
    }
  })

  it("writes nothing but JSON-RPC to standard output, whatever it is sent (X3)", async () => {
    scripted(at, [
      call("run_shell", { command: "echo out; echo err >&2; console" }),
      { steps: [{ fail: { _tag: "ModelRejected" } }] }
    ])
    const editor = await connected({ args: ["--log-level", "debug"] })
    const session = await begun(editor, at.work)
    const { code, message } = await refusal(prompted(editor, session, "run it"))
    assert.strictEqual(code, -32012)
    assert.include(message, "the script says so")
    assert.strictEqual(await editor.close(), 0)
    const broken = [
      "nonsense",
      "[]",
      '"text"',
      '{"jsonrpc":"2.0","id":1,"method":7}',
      '{"jsonrpc":"2.0","id":2,"method":"x"}'
    ]
    const start = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 9 } })
    const raw = await tollgate(at, ["acp"], [start, ...broken, ""].join("\n"))
    assert.deepStrictEqual([raw.code, raw.stderr], [0, ""])
    const answers = raw.stdout.trimEnd().split("\n")
    assert.lengthOf(answers, 1 + broken.length)
    assert.deepInclude(JSON.parse(answers.find((line) => line.includes('"id":0')) ?? ""), { id: 0 })
    const lines = `${editor.stdout()}${raw.stdout}`.split("\n")
    assert.strictEqual(lines.pop(), "")
    assert.isAbove(lines.length, 8)
    for (const line of lines) {
      const said = JSON.parse(line) as Readonly<Record<string, unknown>>
      assert.strictEqual(said["jsonrpc"], "2.0")
      assert.isTrue("method" in said || "result" in said || "error" in said)
      assert.notMatch(line, /\\n\s+at \S/)
    }
  })

  it("answers a message that is too long with an error, carries out no part of it, and goes on (X3)", async () => {
    scripted(at, [])
    const start = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } })
    const params = { cwd: at.work, mcpServers: [], _meta: { text: "x".repeat(33 * 1024 * 1024) } }
    const long = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/new", params })
    const list = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "session/list", params: {} })
    const { code, stderr, stdout } = await tollgate(at, ["acp"], `${start}\n${long}\n${list}\n`)
    assert.deepStrictEqual([code, stderr], [0, ""])
    const answers = stdout.trimEnd().split("\n")
    assert.lengthOf(answers, 3)
    assert.isTrue(answers.some((line) => line.startsWith('{"jsonrpc":"2.0","id":1,"error":{"code":-32600')))
    assert.isTrue(answers.some((line) => line === '{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}'))
  })

  it.each([
    { what: "no model is configured", config: undefined, says: /No model is configured[^]*tollgate config/ },
    { what: "the configuration is no JSON", config: "{", says: /configuration \S+ cannot be used/ },
    { what: "it allows everything", config: '{"approvals":{"policy":"allow"}}', says: /--dangerously-allow-all/ }
  ])(
    "says in the editor what to do where $what, and takes it up without a new start (X3)",
    async ({ config, says }) => {
      if (config !== undefined) {
        fs.mkdirSync(at.env["TOLLGATE_HOME"]!, { recursive: true })
        fs.writeFileSync(path.join(at.env["TOLLGATE_HOME"]!, "config.json"), config)
      }
      const editor = await connected()
      const { code, message } = await refusal(begun(editor, at.work))
      assert.strictEqual(code, -32011)
      assert.match(message, says)
      scripted(at, [done])
      const session = await begun(editor, at.work)
      assert.strictEqual((await prompted(editor, session, "hello")).stopReason, "end_turn")
    }
  )

  it("asks for a sub-worker on the session of its root, whose name is in the title (X3)", async () => {
    scripted(at, [
      call("delegate", { name: "helper", task: "write it" }),
      { when: "write it", ...writing },
      { repeat: true, steps: [{ say: "Done." }] }
    ])
    const editor = await connected()
    const session = await begun(editor, at.work)
    await prompted(editor, session, "have it done")
    const [asked, ...others] = editor.permissions
    assert.lengthOf(others, 0)
    assert.strictEqual(asked?.sessionId, session)
    assert.match(asked?.toolCall.title ?? "", /^helper › Write notes\.md \(/)
    assert.isTrue(fs.existsSync(path.join(at.work, "notes.md")))
    assert.strictEqual(editor.said(session), "Done.")
  })

  it("asks by forms for a reason, other parameters and answers, where the editor shows them (X3)", async () => {
    scripted(at, [
      writing,
      call("write_file", { path: "notes.md", content: "wrong" }),
      call("ask_user", { question: "Which one?", options: ["red", "blue"] }),
      done
    ])
    const chosen = ["explain", "edit", "once"]
    const forms: Array<string> = []
    const editor = await connected({
      capabilities: { elicitation: { form: {} } },
      permission: () => chosen.shift(),
      form: ({ message }) => {
        forms.push(message)
        const value = message.startsWith("Why")
          ? "not this file"
          : message.startsWith("The parameters")
            ? '{"path":"notes.md","content":"right"}'
            : "blue"
        return { action: "accept", content: { value } }
      }
    })
    const session = await begun(editor, at.work)
    await prompted(editor, session, "write it")
    assert.lengthOf(forms, 3)
    assert.strictEqual(fs.readFileSync(path.join(at.work, "notes.md"), "utf8"), "right")
    assert.lengthOf(editor.permissions, 3)
    assert.deepInclude(editor.permissions[2]?.toolCall.content as ReadonlyArray<unknown>, {
      type: "diff",
      path: path.join(at.work, "notes.md"),
      oldText: null,
      newText: "right"
    })
    const told = JSON.stringify(editor.of("tool_call_update"))
    assert.include(told, "not this file")
    assert.include(told, "blue")
  })

  it("carries out slash commands, and sends none of them to the model (X3)", async () => {
    const commands = path.join(at.env["TOLLGATE_HOME"]!, "commands")
    fs.mkdirSync(commands, { recursive: true })
    fs.writeFileSync(path.join(commands, "review.md"), "---\ndescription: Review a file\n---\nReview $1 now")
    scripted(at, [
      { when: "Review a.ts now", steps: [{ say: "Reviewed." }] },
      { steps: [{ say: "The summary." }] },
      { steps: [{ fail: { _tag: "ModelRejected" } }] }
    ])
    const editor = await connected()
    const session = await begun(editor, at.work)
    await editor.until(() => editor.of("available_commands_update").length > 0)
    assert.deepStrictEqual(
      editor.of("available_commands_update")[0]?.availableCommands.map(({ name }) => name),
      ["compact", "clear", "title", "init", "review"]
    )
    for (const line of ["/review a.ts", "/title My work", "/compact", "/clear", "/nonsense"])
      assert.strictEqual((await prompted(editor, session, line)).stopReason, "end_turn", line)
    assert.match(editor.said(session), /^Reviewed\..*There is no command \/nonsense/s)
    await editor.until(() => editor.of("session_info_update").at(-1)?.title === "My work")
    const resource = { uri: "file:///elsewhere/notes.txt", text: "the text of the file" }
    const prompt = [
      { type: "text", text: "/title Notes on" },
      { type: "resource", resource }
    ] as const
    await editor.agent.request(methods.agent.session.prompt, { sessionId: session, prompt: [...prompt] })
    await editor.until(() => editor.of("session_info_update").at(-1)?.title !== "My work")
    assert.strictEqual(editor.of("session_info_update").at(-1)?.title, "Notes on @/elsewhere/notes.txt")
  })

  it("tells the plan, the use of the context, and what it takes no notice of (X3)", async () => {
    const items = [
      { text: "look", status: "done" },
      { text: "write", status: "active" },
      { text: "forget", status: "dropped" }
    ]
    scripted(at, [
      call("todo", { items }),
      { steps: [{ say: "Done." }, { usage: { inputTokens: 70, outputTokens: 5 } }] }
    ])
    const file = path.join(at.env["TOLLGATE_HOME"]!, "config.json")
    const { profiles } = JSON.parse(fs.readFileSync(file, "utf8")) as { readonly profiles: { readonly test: object } }
    fs.writeFileSync(file, JSON.stringify({ profiles: { test: { ...profiles.test, contextWindow: 1000 } } }))
    const editor = await connected({ capabilities: { session: { notices: {} } } })
    const { sessionId } = await editor.agent.request(methods.agent.session.new, {
      cwd: at.work,
      mcpServers: [],
      additionalDirectories: [at.home]
    })
    await prompted(editor, sessionId, "plan it")
    assert.deepStrictEqual(editor.of("plan").at(-1)?.entries, [
      { content: "look", priority: "medium", status: "completed" },
      { content: "write", priority: "medium", status: "in_progress" }
    ])
    const { size, used } = editor.of("usage_update").at(-1)!
    assert.deepStrictEqual({ size, used }, { size: 1000, used: 75 })
    assert.match(editor.of("notice")[0]?.title ?? "", /Additional directories are not used/)
  })

  it("takes images, files and text that the editor includes (X3)", async () => {
    scripted(at, [{ when: "@src/a.ts", steps: [{ say: "Seen." }] }])
    const editor = await connected()
    const session = await begun(editor, at.work)
    const prompt = [
      { type: "text" as const, text: "Compare " },
      { type: "resource_link" as const, name: "a.ts", uri: `file://${at.work}/src/a.ts` },
      { type: "resource" as const, resource: { uri: `file://${at.work}/b.ts`, text: "unsaved" } }
    ]
    const ask = (blocks: ReadonlyArray<ContentBlock>) =>
      editor.agent.request(methods.agent.session.prompt, { sessionId: session, prompt: [...blocks] })
    assert.strictEqual((await ask(prompt)).stopReason, "end_turn")
    assert.strictEqual(editor.said(session), "Seen.")
    const broken = { type: "image" as const, data: "bm8=", mimeType: "image/png" }
    assert.strictEqual((await refusal(ask([broken]))).code, -32602)
    assert.strictEqual((await refusal(ask([{ type: "text", text: "  " }]))).code, -32602)
    assert.strictEqual((await refusal(ask([{ type: "audio", data: "", mimeType: "audio/wav" }]))).code, -32602)
  })

  it("asks in each session by itself, and takes back what was answered elsewhere (X3)", async () => {
    const two = fs.mkdtempSync(path.join(at.home, "two-"))
    scripted(at, [writing, writing, done])
    let hidden = ""
    const editor = await connected({ permission: ({ sessionId }) => (sessionId === hidden ? undefined : "once") })
    hidden = await begun(editor, at.work)
    const other = await begun(editor, two)
    const waiting = prompted(editor, hidden, "first")
    await editor.until(() => editor.permissions.length === 1)
    assert.strictEqual((await prompted(editor, other, "second")).stopReason, "end_turn")
    assert.isTrue(fs.existsSync(path.join(two, "notes.md")))
    const { stdout } = await tollgate(at, ["approvals", "list", "--json"])
    const [open] = JSON.parse(stdout) as ReadonlyArray<{ readonly id: string; readonly digest: string }>
    const answered = await tollgate(at, ["approvals", "answer", open?.id ?? "", "yes", "--digest", open?.digest ?? ""])
    assert.strictEqual(answered.code, 0, answered.stderr)
    assert.strictEqual((await waiting).stopReason, "end_turn")
    assert.isTrue(fs.existsSync(path.join(at.work, "notes.md")))
    assert.include(editor.stdout(), "$/cancel_request")
  })
})
