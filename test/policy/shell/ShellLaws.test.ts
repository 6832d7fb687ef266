import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { gitCommands } from "../../../src/policy/shell/GitCommands.ts"
import { readOnlyCommands } from "../../../src/policy/shell/ReadOnlyCommands.ts"
import { type ShellContext } from "../../../src/policy/shell/ShellContext.ts"
import { classify, words } from "../../../src/policy/shell/ShellPolicy.ts"
import { quoted } from "../../../src/text/ShellWord.ts"
import { ask } from "../../../src/policy/Verdict.ts"
import { corpus } from "../../support/corpora.ts"
import { contextOf } from "./ShellFixture.ts"
import { command, plainText, shellNoise, shellText, textsOf } from "./ShellTexts.ts"

const context = contextOf()
const decide = (text: string) => classify(text, context).decision
const runs = (numRuns: number) => ({ fastCheck: { numRuns } })

const anyText = FastCheck.oneof(
  shellText,
  shellNoise,
  plainText,
  FastCheck.string({ unit: "binary", maxLength: 200 }),
  FastCheck.string({ unit: "grapheme", maxLength: 200 })
)
/** Well-formed texts, by the parser's own word, so that joining them joins commands and not halves of words. */
const whole = shellText.filter((text) => !["shell/syntax", "shell/too-complex"].includes(classify(text, context).rule))
const oneLine = (text: string): boolean => !/[\n#]/.test(text)
const denied = FastCheck.constantFrom(...textsOf("denied").filter(oneLine))
const inRow = (expected: (verdict: string) => boolean) =>
  corpus<{ readonly command: string; readonly context?: Partial<ShellContext> }>("c_shell")
    .filter((row) => row.input.context === undefined && expected(row.expected))
    .map((row) => row.input.command)
/** Complete by themselves: half a text, such as `ls &&`, is another one once it is dressed. */
const notAuto = FastCheck.constantFrom(
  ...[
    ...inRow((expected) => expected !== "auto").filter((text) => text.trim() !== ""),
    ...textsOf("asked"),
    ...textsOf("never-allowed"),
    ...textsOf("denied")
  ].filter((text) => !["shell/syntax", "shell/empty"].includes(classify(text, context).rule))
)
const auto = FastCheck.constantFrom(...inRow((expected) => expected === "auto"), ...textsOf("allowed"))

describe("laws of the shell policy", () => {
  it.prop(
    "gives a decision, a rule and a reason for any text (S3)",
    [anyText],
    ([text]) => {
      const verdict = classify(text, context)
      assert.include(["allow", "ask", "deny"], verdict.decision)
      assert.match(verdict.rule, /^(?:shell|path)\/[a-z-]+$/)
      assert.notStrictEqual(verdict.rule, "shell/not-analysed", text)
      assert.isAbove(verdict.reason.length, 0)
    },
    runs(1500)
  )

  it.prop(
    "allows only commands of the table, each word known (S3)",
    [FastCheck.oneof(shellText, plainText)],
    ([text]) => {
      if (decide(text) !== "allow") return
      assert.notMatch(text.replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"|\\./gs, ""), /[`(){}]|(?<!&)&(?![&>\d])|\$\w/)
      for (const [name = ""] of words(text) ?? []) {
        assert.isTrue(Object.hasOwn(readOnlyCommands, name) || ["find", "test", "[", "git"].includes(name), name)
      }
    },
    runs(1500)
  )

  it.prop(
    "denies a list as soon as a part of it is denied (S3)",
    [denied, whole],
    ([bad, other]) => {
      for (const text of [
        `${bad} && ls`,
        `ls; ${bad}`,
        `ls\n${bad}`,
        `${bad} || ls`,
        `( ${bad} )`,
        `! ${bad}`,
        `time ${bad}`,
        `if ls; then ${bad}; fi`,
        `echo "$( ${bad} )"`,
        `f() { ${bad}\n}`
      ]) {
        assert.strictEqual(decide(text), "deny", text)
      }
      if (!/^(?:!|time|coproc) /.test(bad)) assert.strictEqual(decide(`ls | ${bad}`), "deny", bad)
      if (oneLine(other) && !/<<|\\$/.test(other)) assert.strictEqual(decide(`${other}\n${bad}`), "deny", other)
    },
    runs(200)
  )

  it.prop(
    "never allows a text to which an unknown command was added (S3)",
    [FastCheck.oneof(whole, auto)],
    ([text]) => {
      for (const more of [
        `${text}\nfrobnicate`,
        `frobnicate\n${text}`,
        `frobnicate && ${text}`,
        `frobnicate | ${text}`,
        `${text}\nfrobnicate $(ls)`
      ]) {
        assert.notStrictEqual(decide(more), "allow", more)
      }
    },
    runs(250)
  )

  it.prop(
    "never allows what a wrapper, an assignment or a redirection changes (S3)",
    [FastCheck.oneof(command, auto)],
    ([text]) => {
      for (const before of [
        "sudo",
        "env",
        "nohup",
        "xargs",
        "timeout 5",
        "exec",
        "builtin",
        "time",
        "!",
        "coproc",
        "PATH=.",
        "LD_PRELOAD=./x",
        "A=1",
        "eval",
        "sh -c",
        "\\",
        "''",
        "$x",
        "./",
        "/bin/"
      ]) {
        const changed = /^[.\\/]|^''$/.test(before) ? `${before}${text.trimStart()}` : `${before} ${text}`
        if (/^(?:[#<>\d&]|\s*$)/.test(text)) continue
        assert.notStrictEqual(decide(changed), "allow", changed)
      }
      if (!oneLine(text)) return
      for (const after of [
        " > out",
        " >> out",
        " < /etc/in",
        " <<< in",
        " &",
        " >| out",
        " &> out",
        " 3> out",
        " | sh",
        " |& cat",
        " $x",
        " $(x)",
        " <(x)",
        " {a,b}"
      ]) {
        assert.notStrictEqual(decide(`${text}${after}`), "allow", text + after)
      }
    },
    runs(200)
  )

  it.prop(
    "never allows what asks, however it is dressed (S3)",
    [notAuto],
    ([text]) => {
      for (const twin of [
        ` ${text}`,
        `\t${text}`,
        `\n${text}`,
        `ls && ${text}`,
        `ls; ${text}`,
        `ls\n${text}`,
        `ls | ${text}`,
        `# c\n${text}`,
        `true || ${text}`,
        `(${text})`,
        `{ ${text}; }`,
        `${text}\n`,
        `${text}\nls`,
        `${text}; ls`,
        `${text} 2>/dev/null`,
        `${text} 2>&1`
      ]) {
        assert.notStrictEqual(decide(twin), "allow", twin)
      }
    },
    runs(500)
  )

  it.prop(
    "never allows what asks in a group, a condition or a loop that would run unasked (S3)",
    [notAuto],
    ([text]) => {
      const known = contextOf({ variables: { HOME: "/home/u", PWD: "/w" } })
      if (classify(text, known).decision === "allow") return
      for (const within of [
        `(${text})`,
        `{ ${text}\n}`,
        `! ${text}`,
        `time ${text}`,
        `if ${text}\nthen ls; fi`,
        `if ls; then ${text}\nfi`,
        `if ls; then ls; elif ls; then ls; else ${text}\nfi`,
        `for f in a; do ${text}\ndone`,
        `(ls) && ${text}`,
        `LC_ALL=C ${text}`,
        `find src | ${text}`
      ]) {
        assert.notStrictEqual(classify(within, known).decision, "allow", within)
      }
    },
    runs(300)
  )

  it.prop(
    "allows what is allowed together as well (S3)",
    [auto, auto],
    ([one, other]) => {
      if (/\bcd\b/.test(`${one} ${other}`)) return
      assert.strictEqual(decide(`${one}\n${other}`), "allow")
      if (oneLine(one) && oneLine(other)) {
        for (const between of [" && ", " || ", "; ", " | "]) {
          assert.strictEqual(decide(`${one}${between}${other}`), "allow", `${one}${between}${other}`)
        }
      }
    },
    runs(150)
  )

  it.prop(
    "allows nothing that the path policy does not (S3)",
    [FastCheck.oneof(plainText, auto)],
    ([text]) => {
      const strict = { ...context, judgePath: () => ask("path/none", "No path is allowed.") }
      assert.notStrictEqual(classify(text, strict).decision, "allow")
    },
    runs(250)
  )

  it.prop(
    "gives the words that were quoted (S3)",
    [FastCheck.array(FastCheck.string({ unit: "grapheme-ascii", maxLength: 12 }), { maxLength: 8 })],
    ([args]) => {
      assert.deepStrictEqual(words(["x", ...args.map(quoted)].join(" ")), [["x", ...args]])
    },
    runs(250)
  )
})

describe("the tables", () => {
  it("list every option once, in a form that is understood (S3)", () => {
    for (const [name, listed] of [...Object.entries(readOnlyCommands), ...Object.entries(gitCommands)]) {
      const options = listed.options.split(/\s+/).filter((option) => option !== "")
      for (const option of options)
        assert.match(
          option,
          /^(?:-[\w.]|--[a-z][a-z0-9-]+)(?:=(?:text|number|path|archive|pair|glob|only|left|leftDirectory|type|script)|\[=(?:text|number)\])?$/,
          name
        )
      const names = options.map((option) => option.split(/[=[]/)[0])
      assert.strictEqual(new Set(names).size, names.length, `${name} lists an option twice`)
    }
  })
})

describe("words", () => {
  it("are those of every command of a literal text (S3)", () => {
    assert.deepStrictEqual(words("npm run 'a b' && ls -la | head -n 1; x\\ y"), undefined)
    assert.deepStrictEqual(words("npm run 'a b' && ls -la | head -n 1 2>/dev/null # c"), [
      ["npm", "run", "a b"],
      ["ls", "-la"],
      ["head", "-n", "1"]
    ])
  })

  it("are unknown where anything is not literal (S3)", () => {
    for (const text of [
      "",
      "npm run $x",
      "npm *",
      "npm ~",
      "A=1 npm",
      "npm > x",
      "npm &",
      "(npm)",
      "npm `x`",
      "npm {a,b}",
      "npm \u200b",
      "npm 'a",
      "! npm",
      "npm <<E\nE",
      "$x",
      "l''s",
      "npm a\\\nb",
      `npm ${"a".repeat(4096)}`
    ]) {
      assert.strictEqual(words(text), undefined, text)
    }
  })
})
