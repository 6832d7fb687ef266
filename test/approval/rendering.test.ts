import { assert, describe, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { shownArguments } from "../../src/redaction/shownArguments.ts"
import { marginMark } from "../../src/approval/rendering/Line.ts"
import { contextLines } from "../../src/approval/rendering/Prompt.ts"
import { excerpt } from "../../src/text/excerpt.ts"
import { redactText } from "../../src/redaction/Redactor.ts"
import { shownCall } from "../../src/approval/rendering/Shown.ts"
import { make } from "../../src/redaction/Redactor.ts"
import { makeVisible } from "../../src/text/visible.ts"
import { lineOf, readBack } from "../support/readBack.ts"
import { unifiedDiff } from "../../src/tools/files/UnifiedDiff.ts"
import type { ApprovalRequest } from "../../src/tool/ApprovalRequest.ts"
import { plain, promptLines } from "./promptLines.ts"
import { requested as request } from "./requested.ts"

const redactor = make()

const text = (asked: ApprovalRequest): string => promptLines(asked).map(plain).join("\n")

describe("what a person sees of a request", () => {
  it("has tool, risk, worker, arguments, diff, what could be granted (A9, U5)", () => {
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
    for (const part of ["write_file", "high risk", "root › W1", "notes.md", "│ -a", "│ +b", "session", "always"]) {
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

  it.prop(
    "shows every character of a text in a form from which it can be read back (A15)",
    [
      fc.array(
        fc.oneof(
          fc.string({ unit: "binary", maxLength: 12 }),
          fc.constantFrom(..."⇥ ␣ ␛ ␍ \\u{202E} \\u{ ␣[12 ] e\u0301 \u0301 👨‍👩‍👧 ❤️ \u200b \u202e \u3000 \r".split(" ")),
          fc.constantFrom("\t", "\n", "\n\n\n\n\n\n", " ", " ".repeat(8), " ".repeat(9), " ".repeat(60))
        ),
        { maxLength: 12 }
      )
    ],
    ([parts]) => {
      const whole = parts.join("").replaceAll(/\p{Cs}/gu, "")
      const lines = promptLines(request({ command: whole }))
      const from = lines.findIndex((line) => line.text.startsWith("command:")) + 1
      const rows = lines.slice(
        from,
        lines.findIndex(({ kind, text }, at) => at >= from && kind !== "value" && !text.includes("empty lines"))
      )
      assert.strictEqual(readBack(rows), whole)
      assert.strictEqual(makeVisible(rows.map(plain).join("\n")), rows.map(plain).join("\n"))
    }
  )

  it.prop(
    "keeps every name of a file on one line, whatever it contains (A9, A15)",
    [
      fc.array(
        fc.oneof(
          fc.string({ unit: "binary", maxLength: 8 }),
          fc.constantFrom("\n", "\n+++ b/other", "\n@@ -1 +1 @@", "\r", "\t", '"', "\\", "␊", "\u2028", "\n│ y yes")
        ),
        { minLength: 1, maxLength: 6 }
      )
    ],
    ([parts]) => {
      const about = (name: string) => {
        const diff = unifiedDiff("a\n", "b\n", name)
        const preview = { summary: name, diff, targets: [{ path: name, baseHash: null }], shows: ["path"] }
        const scopes = ["once", "session", "always"] as const
        const asked = request({ path: name }, { message: name, grant: name, rule: name, scopes, preview })
        const lines = promptLines(asked).filter(({ text }) => !text.includes("invisible character"))
        return { diff, lines }
      }
      const name = parts.join("").replaceAll(/\p{Cs}/gu, "")
      const { diff, lines } = about(name)
      assert.deepStrictEqual(
        diff.split("\n").map((line) => line.slice(0, 3)),
        ["---", "+++", "@@ ", "-a", "+b", ""]
      )
      assert.deepStrictEqual(
        lines.map(({ kind, text }) => (kind === "field" ? text : kind)),
        about("plain").lines.map(({ kind, text }) => (kind === "field" ? text : kind))
      )
      const touched = lines[lines.findIndex(({ text }) => text === "touches:") + 1]?.text ?? ""
      assert.strictEqual(touched.split("␊").map(lineOf).join("\n"), name)
    }
  )

  it.prop(
    "cuts no word in half, since half a secret passes for none (A9)",
    [fc.array(fc.stringMatching(/^[a-z_]{1,30}$/), { maxLength: 12 })],
    ([words]) => {
      const text = words.join(" ")
      const shown = excerpt(text).slice(1, -1)
      assert.isAtMost(shown.length, 60)
      assert.isTrue(shown === text || (text.startsWith(shown.slice(0, -1)) && /(?:^| )…$/.test(shown)), shown)
    }
  )

  it("says before the text how much of it nobody would see, and what is masked (A15)", () => {
    const shown = text(request({ command: "ls \u202e\u200b\r" }, { masked: 2 })).split("\n")
    assert.isBelow(shown.indexOf("3 invisible characters, shown as escapes"), shown.indexOf("command:"))
    assert.isAbove(shown.indexOf("3 invisible characters, shown as escapes"), 0)
    assert.include(shown, "2 secrets masked")
  })

  it("points out letters that look like others, and none of a text in their own language (A9)", () => {
    const shown = (command: string) => text(request({ command })).split("\n")
    const mixed = shown("curl https://ex\u0430mple.com && \u0441\u0430t x")
    assert.include(mixed, "2 words with letters that look like others")
    assert.include(mixed, "\u2502 ex\u0430mple is ex\\u{430}mple")
    for (const plain of [
      "git commit -m '\u043f\u0440\u0438\u0432\u0435\u0442 \u0438 \u0442\u043e \u0442\u043e\u0442'",
      "echo caf\u00e9"
    ])
      assert.notInclude(shown(plain).join("\n"), "look like others")
  })

  it("shows the parameters that a diff does not, and names those that it does (A15)", () => {
    const preview = { summary: "commit", diff: "+a", targets: [], shows: ["content"] }
    const shown = text(request({ message: "subject\n\nbody", content: "a" }, { preview })).split("\n")
    assert.includeMembers(shown, ["│ subject", "│ body", "in the diff: content", "│ +a"])
    assert.notInclude(shown, "│ a")
  })

  it("gives those who decide all of it but secrets, however long it is (A9, A15)", () => {
    const command = `${"echo a\n".repeat(2000)}touch P`
    const shown = shownCall(
      redactor,
      { command, token: "abcdef", nested: { authorization: "x" } },
      "-a\n+password=hunter22"
    )
    assert.isObject(shown)
    if (typeof shown === "string") return
    assert.deepNestedInclude(shown, { "arguments.command": command })
    for (const secret of ["abcdef", "hunter22"]) assert.notInclude(JSON.stringify(shown), secret)
    assert.strictEqual(shown.masked, 3)
  })

  it.each([
    ["is over 1,048,576 bytes", { command: "a".repeat(2 ** 20) }, undefined, /bytes, over 1,048,576/],
    ["has a change that is", { path: "a" }, "+".repeat(2 ** 20), /bytes, over 1,048,576/],
    ["is no text", { command: "echo \ud800" }, undefined, /half a character/],
    ["is no JSON", { command: new Map() }, undefined, /JSON/],
    ["has no end", JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`), undefined, /nested too deeply/]
  ])("shows nothing of a call that %s (A15)", (_, params: unknown, diff, why) => {
    const shown = shownCall(redactor, params, diff)
    assert.isString(shown)
    assert.match(shown as string, why)
  })

  it("cuts what the audit keeps of long values, with length and hash (A9)", () => {
    const { value } = shownArguments(redactor, { command: `echo ${"a".repeat(10_000)}; rm -rf src`, token: "abcdef" })
    const shown = JSON.stringify(value)
    assert.notInclude(shown, "abcdef")
    assert.include(shown, "rm -rf src")
    assert.match(shown, /characters, sha256 [0-9a-f]{64}\]/)
    assert.strictEqual(redactText(shown), shown)
    const many = Array.from({ length: 500 }, () => "b".repeat(5000))
    assert.isBelow(JSON.stringify(shownArguments(redactor, many).value).length, 300_000)
  })

  it("has the last messages for whoever wants them (A2)", () => {
    const lines = contextLines(request({}, { context: [{ role: "user", content: "do it\u202e" }] }))
    assert.deepStrictEqual(lines.map(plain), ["user:", "│ do it\\u{202E}"])
  })
})
