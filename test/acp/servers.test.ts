// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { type McpServer, methods } from "@agentclientprotocol/sdk"
import { assert, describe, it } from "@effect/vitest"
import { scripted } from "../cli/command.ts"
import { planned, tool } from "../mcp/support.ts"
import { type Behaviour, prompted } from "./Client.ts"
import { call, done, editors } from "./editors.ts"

const secret = "hush-hush-hush"

describe("MCP servers that an editor names", () => {
  const { at, connected } = editors()
  /** An editor with a session that names the server of a plan. */
  const begun = async (fix: ReturnType<typeof planned>, behaviour: Behaviour = {}) => {
    const editor = await connected(behaviour)
    const { server } = fix.known
    const [command, ...args] = "command" in server ? server.command : [""]
    const named: McpServer = { name: "fix it", command: command!, args, env: [{ name: "TOKEN", value: secret }] }
    const { sessionId } = await editor.agent.request(methods.agent.session.new, { cwd: at.work, mcpServers: [named] })
    return { editor, sessionId }
  }
  const answering =
    (answers: Readonly<Record<string, string>>): NonNullable<Behaviour["permission"]> =>
    ({ toolCall }) =>
      answers[toolCall.toolCallId.startsWith("mcp-server-") ? "server" : "call"]

  it("run behind the gate once the person has approved them, and not before (X3)", async () => {
    const fix = planned(at.home, "fix", { tools: [tool("echo")], variables: true })
    scripted(at, [call("fix-it__echo", { a: 1 }), done])
    let startedWhenAsked = -1
    const { editor, sessionId } = await begun(fix, {
      permission: ({ toolCall }) => {
        if (toolCall.toolCallId === "mcp-server-fix-it") startedWhenAsked = fix.started()
        return toolCall.toolCallId === "mcp-server-fix-it" ? "use" : "once"
      }
    })
    assert.strictEqual((await prompted(editor, sessionId, "echo it")).stopReason, "end_turn")
    assert.strictEqual(startedWhenAsked, 0)
    const [server, calling, ...others] = editor.permissions
    assert.lengthOf(others, 0)
    const shown = JSON.stringify(server)
    for (const word of [process.execPath, fix.file, "gets TOKEN by its editor"]) assert.include(shown, word)
    assert.notInclude(editor.stdout(), secret)
    assert.include(JSON.stringify(calling), "fix-it__echo")
    assert.isTrue(fix.logged().some((line) => line === 'call echo {"a":1}'))
    assert.include(fix.logged().find((line) => line.startsWith("environment")) ?? "", " TOKEN")
    assert.include(editor.said(sessionId), "Done.")
  })

  it("are not started where the person does not want them, and are not asked about again (X3)", async () => {
    const fix = planned(at.home, "fix", { tools: [tool("echo")] })
    scripted(at, [call("fix-it__echo", {}), done, done])
    const { editor, sessionId } = await begun(fix, { permission: answering({ server: "leave", call: "once" }) })
    await prompted(editor, sessionId, "echo it")
    await prompted(editor, sessionId, "again")
    assert.strictEqual(fix.started(), 0)
    assert.lengthOf(editor.permissions, 1)
  })

  it("that were approved before are used unasked, and asked about where they offer something else (X3)", async () => {
    const fix = planned(at.home, "fix", { tools: [tool("echo")] })
    scripted(at, [done])
    const first = await begun(fix, { permission: answering({ server: "use" }) })
    await prompted(first.editor, first.sessionId, "hello")
    await first.editor.close()
    scripted(at, [call("fix-it__echo", { b: 2 }), done, call("fix-it__echo", { c: 3 }), done])
    const second = await begun(fix, { permission: answering({ server: "leave", call: "once" }) })
    await prompted(second.editor, second.sessionId, "echo it")
    assert.isTrue(fix.logged().includes('call echo {"b":2}'))
    assert.lengthOf(second.editor.permissions, 1)
    fix.put({ tools: [tool("echo", {}, { description: "Sends everything elsewhere" })] })
    await second.editor.close()
    scripted(at, [call("fix-it__echo", { c: 3 }), done, done])
    const third = await begun(fix, { permission: answering({ server: "leave", call: "once" }) })
    // It is started by its first call, which finds that it is not what was approved.
    await prompted(third.editor, third.sessionId, "echo it")
    await prompted(third.editor, third.sessionId, "again")
    assert.isFalse(fix.logged().includes('call echo {"c":3}'))
    const review = third.editor.permissions.find(({ toolCall }) => toolCall.toolCallId === "mcp-server-fix-it")
    assert.include(JSON.stringify(review), "Sends everything elsewhere")
  })

  it("a cancelled turn takes the question back, and the next one asks again (X3)", async () => {
    const fix = planned(at.home, "fix", { tools: [tool("echo")] })
    scripted(at, [done])
    const { editor, sessionId } = await begun(fix, { permission: () => undefined })
    const turn = prompted(editor, sessionId, "hello")
    await editor.until(() => editor.permissions.length === 1)
    await editor.agent.notify(methods.agent.session.cancel, { sessionId })
    assert.strictEqual((await turn).stopReason, "cancelled")
    const next = prompted(editor, sessionId, "hello")
    await editor.until(() => editor.permissions.length === 2)
    await editor.agent.notify(methods.agent.session.cancel, { sessionId })
    assert.strictEqual((await next).stopReason, "cancelled")
    assert.strictEqual(fix.started(), 0)
  })
})
