import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { Approvals } from "../../src/approval/Approvals.ts"
import type { Rule } from "../../src/approval/Rule.ts"
import * as DefaultStack from "../../src/gate/DefaultStack.ts"
import { silent } from "../../src/tool/ToolCall.ts"
import * as Toolset from "../../src/gate/Toolset.ts"
import * as Builtin from "../../src/tools/Builtin.ts"
import { type World, world } from "./support.ts"

const rule = (decision: Rule["decision"], more: Partial<Rule>): Rule => ({
  id: `${decision} ${JSON.stringify(more)}`,
  decision,
  level: "user",
  tool: "*",
  ...more
})

const noSecrets = rule("deny", { path: "secrets/**" })
const noPictures = rule("deny", { path: "**/*.pic" })
/** Programs that the user has allowed whatever they are given. */
const allowed = (...programs: ReadonlyArray<string>) =>
  programs.map((program) => rule("allow", { tool: "run_shell", argv: [program] }))

/** What a call gives where nobody is there to be asked. */
const call = (here: World, rules: ReadonlyArray<Rule>, name: string, rawParams: unknown, decision?: "approve") =>
  Effect.gen(function* () {
    const toolset = yield* Toolset.make(Builtin.tools, { middleware: DefaultStack.make({}) })
    const options = { rules, root: here.root }
    const approvals =
      decision === undefined
        ? Approvals.layer({ policy: "deny", ...options })
        : Approvals.layer({ policy: "allow", ...options })
    const place = { callId: "c", sessionId: "s", workerPath: ["root"], startedAt: 0, sink: silent }
    const result = yield* Effect.either(toolset.call({ name, rawParams, ...place })).pipe(
      Effect.provide(Layer.mergeAll(approvals, here.layer()))
    )
    return Either.match(result, {
      onLeft: (error) => `${error._tag}: ${error.message}`,
      onRight: ({ text }) => text
    })
  })

const filled = Effect.tap(world, (here) =>
  Effect.sync(() => {
    here.write("secrets/a", "classified\n")
    here.write("secrets/deep/b", "classified\n")
    here.write("sub/c.pic", "classified\n")
    here.write("sub/open.txt", "classified not\n")
    here.write("top.txt", "classified not\n")
  })
)

describe("what a rule by path forbids", () => {
  it.scoped("is not found by what looks through directories above it, which say how much was left out (A6, S2)", () =>
    Effect.gen(function* () {
      const here = yield* filled
      const rules = [noSecrets, noPictures]
      const ask = (name: string, params: object) => call(here, rules, name, params)
      assert.strictEqual(
        yield* ask("grep", { pattern: "classified" }),
        "top.txt:1:classified not\nsub/open.txt:1:classified not\n[2 entries were left out by rules of the user]"
      )
      assert.strictEqual(
        yield* ask("glob", { pattern: "**" }),
        "top.txt\nsub/open.txt\n[2 entries were left out by rules of the user]"
      )
      assert.strictEqual(yield* ask("list_dir", {}), "sub/\ntop.txt\n[1 entry was left out by rules of the user]")
      for (const [name, params] of [
        ["list_dir", { path: "secrets" }],
        ["glob", { pattern: "secrets/**" }],
        ["grep", { pattern: "x", path: "secrets/deep" }],
        ["read_file", { path: "secrets/a" }]
      ] as const) {
        assert.match(yield* ask(name, params), /^ApprovalDenied: /)
      }
    })
  )

  it.scoped("is found by tools that the rule does not name (A6)", () =>
    Effect.gen(function* () {
      const here = yield* filled
      const rules = [rule("deny", { tool: "read_file", path: "secrets/**" })]
      assert.include(yield* call(here, rules, "grep", { pattern: "classified" }), "secrets/a:1:classified")
      assert.match(yield* call(here, rules, "read_file", { path: "secrets/a" }), /^ApprovalDenied/)
    })
  )

  it.scoped("is left out where a rule would ask, unless the call itself was asked about or all is allowed (A6)", () =>
    Effect.gen(function* () {
      const here = yield* filled
      const rules = [rule("ask", { path: "secrets/**" })]
      assert.notInclude(yield* call(here, rules, "grep", { pattern: "classified" }), "secrets/")
      assert.match(yield* call(here, rules, "grep", { pattern: "classified", path: "secrets" }), /^ApprovalDenied/)
      const all = yield* call(here, rules, "grep", { pattern: "classified" }, "approve")
      assert.include(all, "secrets/a:1:classified")
      assert.notInclude(all, "left out")
      const still = yield* call(here, [noSecrets], "grep", { pattern: "classified" }, "approve")
      assert.notInclude(still, "secrets/")
    })
  )

  it.scoped("is known by the name that a link gives to the directory above it (A6, S2)", () =>
    Effect.gen(function* () {
      const here = yield* filled
      fs.symlinkSync(`${here.root}/secrets/deep`, `${here.root}/shortcut`)
      const rules = [rule("deny", { path: `${here.root}/shortcut/b` })]
      assert.notInclude(yield* call(here, rules, "grep", { pattern: "classified", path: "shortcut" }), "deep/b:")
      // By the letter this is `a`; programs go where the link goes.
      const up = yield* call(here, [noSecrets], "read_file", { path: "shortcut/../a" })
      assert.match(up, /^ApprovalDenied/)
    })
  )

  it.scoped("is in no difference and no status (A6, S2)", () =>
    Effect.gen(function* () {
      const here = yield* filled
      here.git("init", "-q")
      here.git("add", ".")
      here.git("commit", "-qm", "x")
      for (const name of ["secrets/a", "sub/c.pic", "top.txt"]) here.write(name, "changed\n")
      here.write("secrets/new", "new\n")
      const rules = [noSecrets, noPictures]
      const diff = yield* call(here, rules, "git_diff", {})
      assert.include(diff, "+++ b/top.txt")
      assert.match(diff, /\n\[2 entries were left out by rules of the user\]$/)
      assert.notMatch(diff, /secrets|pic/)
      const status = yield* call(here, rules, "git_status", {})
      assert.include(status, " M top.txt")
      assert.match(status, /\n\[3 entries were left out by rules of the user\]$/)
      assert.notMatch(status, /secrets|pic/)
      assert.include(yield* call(here, [], "git_status", {}), "secrets/new")
      assert.match(yield* call(here, rules, "git_diff", { path: "secrets" }), /^ApprovalDenied/)
      here.git("commit", "-qam", "y")
      here.write("MY plan", "all of it\n")
      here.git("add", "MY plan")
      here.git("commit", "-qm", "z")
      here.git("mv", "MY plan", "other")
      const moved = yield* call(here, [rule("deny", { path: "MY plan" })], "git_status", {})
      assert.include(moved, "A  other")
      assert.notInclude(moved, "plan")
    })
  )
})

describe("a command", () => {
  const reading = [
    "cat secrets/a",
    "cat secrets/../secrets/a",
    "cat ./sub/../secrets/a",
    'cat "sec"rets/a',
    "cat secre\\ts/a",
    "cat s*/a",
    "cat s?crets/a",
    "cat {secrets,sub}/a",
    "cat shortcut/b",
    "cat shortcut/../a",
    "cd secrets && cat a",
    "cd secrets; cat a",
    "pushd secrets && cat a",
    "grep -r classified .",
    "grep -r classified",
    "grep -nr classified ./",
    "grep --recursive classified .",
    "grep -fsecrets/a top.txt",
    "grep -nfsecrets/a top.txt",
    "rg classified",
    "rg classified .",
    "find . -name a -exec cat {} +",
    "find . -type f",
    "find",
    "ls -R",
    "ls -aR .",
    "tree",
    "du -a .",
    "tar c .",
    "tar cf /dev/null sub/..",
    "git show HEAD:secrets/a",
    "git diff",
    "git grep classified",
    "git -C sub diff",
    "git add -A",
    "git add --all",
    "git add -u",
    "git -C sub add -Av",
    "git commit -am x",
    "git commit --all -m x",
    "cp -r . /var/tmp/elsewhere",
    "cp -r secrets elsewhere",
    "env -i find .",
    "timeout 5 rg classified",
    "ls | xargs cat",
    "bash -c 'cat secrets/a'",
    `python3 -c "print(open('secrets/a').read())"`,
    "cat --file=secrets/a",
    "cat < secrets/a",
    "cat 0<./sub/../secrets/a",
    "cat 3<secrets/a <&3",
    "head -1 top.txt <'secrets/a'",
    "cat<secrets/a|head -1",
    "true && cat < shortcut/../a",
    "for one in 1; do cat < secrets/a; done",
    "{ cat; } < secrets/a",
    "echo gone > secrets/a",
    "echo gone 2>>secrets/a",
    "cat $(echo secrets)/a",
    "diff sub secrets",
    "mv secrets elsewhere"
  ]
  const programs =
    "cat head echo true grep rg find ls tree du tar git cp env timeout xargs bash python3 diff mv cd pushd".split(" ")

  it.scoped("never reads unasked what a rule by path forbids, whatever else is allowed (A6, S3)", () =>
    Effect.gen(function* () {
      const here = yield* filled
      fs.symlinkSync(`${here.root}/secrets/deep`, `${here.root}/shortcut`)
      const rules = [noSecrets, ...allowed(...programs)]
      for (const command of reading) {
        const told = yield* call(here, rules, "run_shell", { command })
        assert.match(told, /^(?:ApprovalDenied|CommandRefused): /, command)
        assert.notInclude(told, "classified\n", command)
      }
      assert.isTrue(here.has("secrets/a"))
      assert.isFalse(here.has("elsewhere"))
      const inside = yield* call(here, rules, "run_shell", { command: "cat a", cwd: "secrets" })
      assert.match(inside, /^ApprovalDenied/)
    })
  )

  it.scoped("runs unasked where no rule by path can reach what it reads (A6, S3)", () =>
    Effect.gen(function* () {
      const here = yield* filled
      for (const command of [
        "cat top.txt",
        "grep -n classified top.txt",
        "grep -r classified sub",
        "rg --files sub || true",
        "find sub -name x",
        "ls",
        "ls -l sub",
        "diff top.txt sub/open.txt",
        "echo secret | cat"
      ]) {
        assert.match(yield* call(here, [noSecrets], "run_shell", { command }), /^exit code /, command)
      }
      // A mention is no reading, but it may be the text of a program.
      const rules = [noSecrets, ...allowed("printf")]
      assert.match(yield* call(here, rules, "run_shell", { command: "printf 'see secrets/a'" }), /^ApprovalDenied/)
    })
  )
})
