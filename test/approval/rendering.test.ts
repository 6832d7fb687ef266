import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { shownArguments } from "../../src/approval/rendering/Arguments.ts"
import { marginMark, plain } from "../../src/approval/rendering/Line.ts"
import { contextLines, promptLines, stateLine } from "../../src/approval/rendering/Prompt.ts"
import { redactText } from "../../src/redaction/Redactor.ts"
import { make } from "../../src/redaction/Redactor.ts"
import { makeVisible } from "../../src/redaction/visible.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"

const redactor = make()

const request = (args: unknown, more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  id: "approval_1",
  callId: "c1",
  sessionId: "s",
  tool: "run_shell",
  workerPath: ["root"],
  risk: "high",
  digest: "d".repeat(64),
  arguments: args,
  message: "Runs a command",
  scopes: ["once"],
  requestedAt: 0,
  timeoutMillis: 1000,
  ...more
})

const text = (asked: ApprovalRequest): string =>
  promptLines(asked, { ahead: 0, behind: 2, millisLeft: 11_500 }).map(plain).join("\n")

describe("what a person sees of a request", () => {
  it("has tool, risk, worker, arguments, diff, what could be granted, time and queue (A9, U5)", () => {
    const shown = text(
      request(
        { path: "notes.md", content: "hi" },
        {
          tool: "write_file",
          workerPath: ["root", "W1"],
          preview: { summary: "write", diff: "-a\n+b", targets: [{ path: "/w/notes.md", baseHash: null }] },
          scopes: ["once", "session", "always"],
          grant: "write_file: /w/notes.md",
          rule: "allow write_file on /w/notes.md"
        }
      )
    )
    for (const part of [
      "write_file",
      "high risk",
      "root › W1",
      "notes.md",
      "│ -a",
      "│ +b",
      "session",
      "always",
      "12 s left",
      "2 more wait"
    ]) {
      assert.include(shown, part)
    }
  })

  it.prop(
    "never lets a foreign word stand where the runtime speaks, nor an unseen character through (A9)",
    [fc.string({ unit: "binary", maxLength: 200 }), fc.constantFrom("command", "content", "url", "description")],
    ([value, name]) => {
      const marker = "ZQXJ"
      const foreign = `${marker}${value}\n${marker}\r${marker}\u001b[2K${marker}`
      const shown = text(
        request(
          { [name]: foreign },
          {
            message: foreign,
            grant: foreign,
            scopes: ["once", "session"],
            preview: { summary: "", diff: foreign, targets: [{ path: foreign, baseHash: null }] }
          }
        )
      )
      for (const line of shown.split("\n")) if (line.includes(marker)) assert.isTrue(line.startsWith(marginMark), line)
      assert.strictEqual(makeVisible(shown), shown)
    }
  )

  it("redacts by name and by shape, and keeps its marks when rendered again (A9)", () => {
    const { value } = shownArguments(redactor, {
      token: "abcdef",
      nested: { authorization: "x" },
      text: "password=hunter22"
    })
    const shown = JSON.stringify(value)
    for (const secret of ["abcdef", "hunter22"]) assert.notInclude(shown, secret)
    assert.strictEqual(redactText(shown), shown)
  })

  it("cuts long values in the middle, with length and hash, and says so (A9)", () => {
    const { cut, value } = shownArguments(redactor, { command: `echo ${"a".repeat(10_000)}; rm -rf src` })
    assert.isTrue(cut)
    const shown = JSON.stringify(value)
    assert.include(shown, "rm -rf src")
    assert.match(shown, /characters, sha256 [0-9a-f]{64}\]/)
    assert.isBelow(
      JSON.stringify(
        shownArguments(
          redactor,
          Array.from({ length: 500 }, () => "b".repeat(5000))
        ).value
      ).length,
      300_000
    )
  })

  it("has the last messages for whoever wants them (A2)", () => {
    const lines = contextLines(request({}, { context: [{ role: "user", content: "do it\u202e" }] }))
    assert.deepStrictEqual(lines.map(plain), ["user:", "│ do it\\u{202E}"])
  })

  it("tells the position where others are shown before it (A8)", () => {
    assert.strictEqual(stateLine({ ahead: 3 }), "3 shown before it")
  })
})
