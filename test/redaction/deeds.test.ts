import { assert, describe, it } from "@effect/vitest"
import { ModelAnswered } from "../../src/agent/AgentEvent.ts"
import { ToolCallRequested } from "../../src/gate/CallEvent.ts"
import { noUsage } from "../../src/model/ModelPart.ts"
import { shownArguments } from "../../src/redaction/shownArguments.ts"
import { BackgroundStarted } from "../../src/runtime/RuntimeEvent.ts"
import { redactEvent } from "../../src/runtime/redactEvent.ts"
import { makeVisible } from "../../src/text/visible.ts"
import { FileChanged, ToolCallStarted } from "../../src/tool/ToolEvent.ts"
import { assertBehind, redactor, risky } from "./behind.ts"

const call = { callId: "c", tool: "run_shell" }

const commandOf = (text: string): string => (JSON.parse(text) as { readonly command: string }).command

/** Whether all characters of one text are in the other, in their order. */
const isWithin = (less: string, more: string): boolean => {
  let at = 0
  return [...less].every((character) => (at = more.indexOf(character, at) + 1) > 0)
}

describe("what a call does", () => {
  it.prop(
    "keeps all that acts in what is told of it, asked or not, and in the audit (A9, A10, A15)",
    [risky],
    ([command]) => {
      const text = JSON.stringify({ command, cwd: "." })
      assertBehind(
        command,
        commandOf(redactEvent(new ToolCallRequested({ ...call, arguments: text }), redactor).arguments)
      )
      const answered = redactEvent(
        new ModelAnswered({
          message: {
            id: "m",
            message: {
              role: "assistant",
              content: null,
              tool_calls: [{ id: "c", type: "function", function: { name: "run_shell", arguments: text } }]
            }
          },
          finish: "tool_calls",
          usage: noUsage,
          durationMillis: 1
        }),
        redactor
      )
      const [said] = answered.message.message.role === "assistant" ? (answered.message.message.tool_calls ?? []) : []
      assertBehind(command, commandOf(said?.function.arguments ?? ""))
      const started = redactEvent(new ToolCallStarted({ ...call, readOnly: false, parameters: { command } }), redactor)
      assertBehind(command, (started.parameters as { readonly command: string }).command)
      const diff = command.replaceAll(/^/gm, "+")
      const changed = redactEvent(
        new FileChanged({ ...call, path: "run.sh", change: "created", size: 1, diff: { text: diff, omitted: 0 } }),
        redactor
      )
      assertBehind(diff, changed.diff?.text ?? "")
      const { cut, value } = shownArguments(redactor, { command })
      if (!cut) assertBehind(makeVisible(command), (value as { readonly command: string }).command)
      const background = new BackgroundStarted({ id: "b", command, directory: "/" })
      assertBehind(command, redactEvent(background, redactor).command)
    }
  )

  it.prop("shows no more of a secret than a log does, also where it is told again (S5)", [risky], ([whole]) => {
    const plain = (text: string) =>
      text.replaceAll(/\[redacted-[a-z0-9-]+\]/g, "").replaceAll(/[$();&|<>`\s\u0085[\]]/g, "")
    const told = redactor.deed(whole)
    assert.isTrue(isWithin(plain(told), plain(redactor.jsonText(whole))), told)
    assert.isTrue(isWithin(plain(redactor.deed(told)), plain(told)), told)
  })

  it("of which a secret is known by its name shows what acts in it, and nothing else (A15, S5)", () => {
    const text = JSON.stringify({ name: "x", password: "x&Yq8;z1" })
    const told = redactEvent(new ToolCallRequested({ ...call, arguments: text }), redactor).arguments
    const secret = "[redacted-password]"
    assert.strictEqual(told, JSON.stringify({ name: "x", password: `${secret}&${secret};${secret}` }))
    const shown = redactor.deed("PASSWORD='x&Yq8;z1' make")
    assert.strictEqual(shown, `PASSWORD='${secret}&${secret};${secret}' make`)
  })
})
