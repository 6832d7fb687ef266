import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import { Memory } from "../../src/memory/Memory.ts"
import type { BoundaryInvalid } from "../../src/policy/path/PathContext.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import type * as Tool from "../../src/tool/Tool.ts"
import * as Builtin from "../../src/tools/Builtin.ts"
import { call, lastingWorld, type World } from "./support.ts"

const layer = (here: World, root = here.root) =>
  Layer.merge(
    Memory.layerMemory(),
    Builtin.layer({ environment: here.environment, workspace: { root, home: here.home, trusted: false } })
  )

describe("tools in the sandbox of this system", () => {
  it.scopedLive("an approved command cannot plant hooks, change git's configuration or read keys (R13)", () =>
    Effect.gen(function* () {
      const here = yield* lastingWorld
      here.git("init", "--quiet", "--initial-branch=main")
      here.write(`${here.home}/.ssh/id_rsa`, "the key\n")
      const run = (command: string) => call("run_shell", { command })
      yield* Effect.gen(function* () {
        const { describe: status } = yield* Sandbox
        const asked = yield* run("touch a.txt")
        assert.strictEqual(here.has("a.txt"), true)
        if (!status.isolated) return assert.include(asked.asked[0]?.message, status.detail)
        assert.notInclude(asked.asked[0]?.message, "unconfined")
        for (const target of [".git/hooks/pre-commit", ".git/config", ".tollgate/rules", `${here.base}/out.txt`]) {
          const planted = yield* run(`echo evil >> ${target}`)
          assert.notMatch(planted.text, /^exit code 0/, target)
        }
        assert.isFalse(fs.existsSync(`${here.base}/out.txt`))
        const cut = yield* run("curl -sS http://name.invalid || { echo 'Could not resolve host'; exit 6; }")
        assert.include(cut.text, "[the sandbox has no network; ")
        assert.notInclude((yield* run("echo 'Could not resolve host'")).text, "[the sandbox")
        const key = yield* run(`cat "$HOME"/.ss?/id_rsa`)
        assert.notInclude(key.text, "the key")
      }).pipe(Effect.provide(layer(here)))
    })
  )

  it.scopedLive("tells what a command left in the background, and of which signal it ended (S3)", () =>
    Effect.gen(function* () {
      const here = yield* lastingWorld
      const run = (command: string) => Effect.provide(call("run_shell", { command }), layer(here))
      const left = yield* run("sleep 300 & sleep 300 & echo hi")
      assert.include(left.text, "exit code 0\nhi\n")
      assert.match(left.text, /\[2 processes left in the background ended with the command/)
      assert.notInclude((yield* run("sleep 0.01 & wait; echo hi | cat")).text, "left in the background")
      assert.match((yield* run("kill -9 $$")).text, /^(?:exit code 137 \(SIGKILL\)|ended by SIGKILL)\n\[no output\]$/)
      assert.match((yield* run("exit 3")).text, /^exit code 3\n/)
      assert.match((yield* run("trap 'echo bye; exit 5' TERM; kill -TERM $$")).text, /^exit code 5\nbye/)
    })
  )

  it.scopedLive("git tools work in it (S1, R13)", () =>
    Effect.gen(function* () {
      const here = yield* lastingWorld
      here.git("init", "--quiet", "--initial-branch=main")
      here.write("a.txt", "one\n")
      yield* Effect.gen(function* () {
        const made = yield* call("git_commit", { message: "first", paths: ["a.txt"] })
        assert.strictEqual(made.error, undefined, made.text)
        here.write("a.txt", "two\n")
        const diff = yield* call("git_diff", {})
        assert.include(diff.text, "-one\n+two")
        assert.strictEqual((yield* call("git_status", {})).text, "## main\n M a.txt")
      }).pipe(Effect.provide(layer(here)))
      here.git("worktree", "add", "--quiet", `${here.base}/linked`, "-b", "side")
      here.write(`${here.base}/linked/n.txt`, "n\n")
      const linked = yield* Effect.provide(
        call("git_commit", { message: "n", paths: ["n.txt"] }),
        layer(here, `${here.base}/linked`)
      )
      assert.match(linked.text, /on side: n$/)
    })
  )

  it("the layer gives all that the tools require but the memory (S1)", () => {
    const provided: Layer.Layer<
      Exclude<Tool.Requirements<(typeof Builtin.tools)[number]>, Memory>,
      BoundaryInvalid
    > = Builtin.layer({ workspace: { root: "/w", home: "/home/u", trusted: false } })
    assert.isTrue(Layer.isLayer(provided))
    assert.deepStrictEqual(
      Builtin.tools.map(({ name }) => name),
      [
        "read_file",
        "list_dir",
        "glob",
        "grep",
        "write_file",
        "edit_file",
        "apply_patch",
        "run_shell",
        "read_output",
        "stop_command",
        "fetch_url",
        "git_status",
        "git_diff",
        "git_commit",
        "git_push",
        "delegate",
        "need_input",
        "todo",
        "remember",
        "recall",
        "search_history",
        "ask_user"
      ]
    )
    assert.deepStrictEqual(
      Builtin.tools.filter(({ readOnly }) => readOnly).map(({ name }) => name),
      [
        "read_file",
        "list_dir",
        "glob",
        "grep",
        "read_output",
        "git_status",
        "git_diff",
        "need_input",
        "recall",
        "search_history"
      ]
    )
  })
})
