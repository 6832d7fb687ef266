// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { methods } from "@agentclientprotocol/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { place, scripted } from "../cli/command.ts"
import { begun, connect, prompted } from "./Client.ts"

const appending = { steps: [{ call: { name: "run_shell", arguments: { command: "printf x >> ran.txt" } } }] }
const done = { repeat: true, steps: [{ say: "Done." }] }

describe("an editor whose agent is killed while it asks", () => {
  it.each(["load", "resume"] as const)("is asked again after session/%s, and the call runs once (X3)", async (way) => {
    const at = place()
    try {
      scripted(at, [appending, done])
      const first = await connect(at, { permission: () => undefined })
      const session = await begun(first, at.work)
      const turn = prompted(first, session, "append")
      turn.catch(() => {})
      await first.until(() => first.permissions.length === 1)
      first.child.kill("SIGKILL")
      await first.ended
      scripted(at, [done])
      const second = await connect(at)
      await second.agent.request(methods.agent.session[way], { sessionId: session, cwd: at.work, mcpServers: [] })
      await second.until(() => second.said(session) === "Done.")
      assert.strictEqual(fs.readFileSync(path.join(at.work, "ran.txt"), "utf8"), "x")
      assert.lengthOf(second.permissions, 1)
      const [before, after] = [first, second].map(({ permissions }) => permissions[0]?.toolCall)
      assert.deepStrictEqual(after, before)
      assert.deepStrictEqual(
        new Set(second.of("tool_call").map(({ toolCallId }) => toolCallId)),
        new Set([before?.toolCallId])
      )
      assert.strictEqual((await prompted(second, session, "more")).stopReason, "end_turn")
      assert.strictEqual(await second.close(), 0)
    } finally {
      at.remove()
    }
  })

  it("leaves what waits to the next one where the editor closes the connection (X3)", async () => {
    const at = place()
    try {
      scripted(at, [appending, done])
      const first = await connect(at, { permission: () => undefined })
      const session = await begun(first, at.work)
      prompted(first, session, "append").catch(() => {})
      await first.until(() => first.permissions.length === 1)
      assert.strictEqual(await first.close(), 0)
      assert.strictEqual(first.stderr(), "")
      scripted(at, [done])
      const second = await connect(at)
      await second.agent.request(methods.agent.session.load, { sessionId: session, cwd: at.work, mcpServers: [] })
      await second.until(() => second.said(session) === "Done.")
      assert.strictEqual(fs.readFileSync(path.join(at.work, "ran.txt"), "utf8"), "x")
      await second.close()
    } finally {
      at.remove()
    }
  })
})
