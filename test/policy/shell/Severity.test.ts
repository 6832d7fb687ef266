import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { severity, type Severity } from "../../../src/policy/shell/Severity.ts"
import { classify } from "../../../src/policy/shell/ShellPolicy.ts"
import { quoted } from "../../../src/text/ShellWord.ts"
import { contextOf } from "./ShellFixture.ts"
import { shellNoise, shellText, textsOf } from "./ShellTexts.ts"

const where = { cwd: "/w", roots: ["/w"], home: "/home/u" }
const judge = (text: string): Severity => severity(text, where)
const told = ({ because }: Severity): string => because.map(({ command, reason }) => `${reason}: ${command}`).join("; ")
const oneLine = (text: string): boolean => !/[\n#]/.test(text)
const destructive = FastCheck.constantFrom(...textsOf("destructive").filter(oneLine))
const simple = FastCheck.constantFrom(
  ...textsOf("destructive").filter(
    (text) => oneLine(text) && /^[a-z]/.test(text) && !/[;&|()<>]|^(?:for|if|ls|find|alias|a=)/.test(text)
  )
)

describe("how bad a command is", () => {
  for (const text of textsOf("destructive")) {
    it(`is destructive for ${JSON.stringify(text)} (A16)`, () => {
      const judged = judge(text)
      assert.strictEqual(judged.level, "destructive", told(judged))
      for (const { reason } of judged.because) assert.match(reason, /^[A-Z][^$]*[^.]$/)
    })
  }
  for (const text of textsOf("ordinary")) {
    it(`is ordinary for ${JSON.stringify(text)} (A16)`, () => {
      const judged = judge(text)
      assert.strictEqual(judged.level, "ordinary", told(judged))
    })
  }
  for (const text of textsOf("denied")) {
    it(`is forbidden for ${JSON.stringify(text)} (A16)`, () => {
      assert.strictEqual(judge(text).level, "forbidden")
    })
  }
  it("is reading for all that runs unasked (A16)", () => {
    for (const text of textsOf("allowed")) assert.strictEqual(judge(text).level, "reads", text)
  })

  it.prop(
    "agrees with the decision, for any text (A16)",
    [FastCheck.oneof(shellText, shellNoise, FastCheck.string({ unit: "grapheme", maxLength: 100 }))],
    ([text]) => {
      const { because, level } = judge(text)
      const { decision, rule } = classify(text, contextOf())
      if (decision === "allow") assert.strictEqual(level, "reads", text)
      if (level === "reads") assert.notStrictEqual(decision, "deny", text)
      if (decision === "deny" && rule !== "shell/blank") assert.strictEqual(level, "forbidden", text)
      assert.strictEqual(because.length === 0, level === "reads", text)
    },
    { fastCheck: { numRuns: 2000 } }
  )

  it.prop(
    "is not hidden by what stands around it (A16)",
    [destructive],
    ([text]) => {
      for (const dressed of [
        `ls && ${text}`,
        `${text}\nls`,
        `( ${text} )`,
        `{ ${text}; }`,
        `if ls; then ${text}; fi`,
        `while ${text}; do ls; done`,
        `echo "$( ${text} )"`,
        `f() { ${text}\n}`,
        `cat <<EOF\n$( ${text} )\nEOF`,
        `ls | ${text}`,
        `case a in a) ${text};; esac`
      ]) {
        assert.include(["destructive", "forbidden"], judge(dressed).level, dressed)
      }
    },
    { fastCheck: { numRuns: 200 } }
  )

  it.prop(
    "is not hidden by what runs it (A16)",
    [simple],
    ([text]) => {
      const word = quoted(text)
      for (const wrapped of [
        `sudo ${text}`,
        `sudo -u root ${text}`,
        `env A=1 ${text}`,
        `timeout -k 5 10 ${text}`,
        `nohup ${text}`,
        `nice -n 5 ${text}`,
        `xargs -n1 ${text}`,
        `time ${text}`,
        `find . -exec ${text} \\;`,
        `sh -c ${word}`,
        `bash -lc ${word}`,
        `eval ${word}`,
        `ssh host ${word}`,
        `sudo sh -c ${word}`
      ]) {
        assert.include(["destructive", "forbidden"], judge(wrapped).level, wrapped)
      }
    },
    { fastCheck: { numRuns: 200 } }
  )

  it("names the command that makes it so, the worst first (A16)", () => {
    assert.deepStrictEqual(judge("npm test && sudo rm -rf src; git push"), {
      level: "forbidden",
      because: [
        {
          command: "git push",
          reason: "Only the git_push tool may push, after the user approves"
        },
        { command: "rm -rf src", reason: "Deletes src and everything below" }
      ]
    })
    assert.deepStrictEqual(judge("npm ci && git reset --hard && rm -r lib").because, [
      { command: "git reset --hard", reason: "Discards uncommitted changes and moves the branch" },
      { command: "rm -r lib", reason: "Deletes lib and everything below" }
    ])
  })

  it("spares what git ignores, below the workspace only (A16)", () => {
    const level = (text: string) => severity(text, { ...where, isIgnored: (path) => path.endsWith("/out") }).level
    assert.strictEqual(level("rm -rf out"), "ordinary")
    assert.strictEqual(level("rm -rf out src"), "destructive")
    assert.strictEqual(level("rm -rf ../out"), "destructive")
    assert.strictEqual(level("cd ~/x && rm -rf out"), "destructive")
  })

  it("counts what cannot be analysed as destructive (A16)", () => {
    for (const text of ["ls 'a", `ls ${"a".repeat(4096)}`, "ls;".repeat(500), "$(".repeat(60)]) {
      assert.strictEqual(judge(text).level, "destructive", text.slice(0, 20))
    }
  })
})
