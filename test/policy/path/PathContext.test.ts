import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PathContext from "../../../src/policy/path/PathContext.ts"
import { judge, judgeLexical } from "../../../src/policy/path/PathPolicy.ts"
import { Scratch } from "./scratch.ts"

describe("PathContext", () => {
  it.scopedLive("resolves its roots once and still understands how they were written (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([["symlink", "/alias", "/w"]])
      const alias = scratch.at("/alias")
      const context = yield* PathContext.make(scratch.context({ cwd: alias, roots: [alias] }))
      assert.strictEqual(context.cwd, scratch.at("/w"))
      for (const text of ["src/x.ts", `${alias}/src/x.ts`, scratch.at("/w/src/x.ts")]) {
        const judged = yield* judge(text, "write", context)
        assert.deepStrictEqual([judged.path, judged.verdict.decision], [scratch.at("/w/src/x.ts"), "allow"])
      }
    })
  )

  it.scopedLive("takes no root that is missing, a file, the system's, or a way to one (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([
        ["symlink", "/top", "/sys/.."],
        ["symlink", "/homes", "/home"]
      ])
      const bad = ["/none", "/w/README.md", "/top", "/homes", "/home"].map(scratch.at)
      for (const root of [...bad, "/", "", " ", "w", "/etc", "/proc", "/w/../..", "//"]) {
        const error = yield* Effect.flip(PathContext.make(scratch.context({ roots: [scratch.at("/w"), root] })))
        assert.deepInclude(error, { _tag: "BoundaryInvalid", setting: "roots", value: root })
      }
      const error = yield* Effect.flip(PathContext.make(scratch.context({ roots: [] })))
      assert.include(error.message, "an empty list gives no access")
    })
  )

  it.scopedLive("moves its working directory inside the roots and never the roots (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([["symlink", "/w/out", "/out"]])
      const context = yield* PathContext.make(scratch.context())
      const moved = yield* PathContext.changeDirectory(context, "src")
      assert.deepStrictEqual([moved.cwd, moved.roots], [scratch.at("/w/src"), context.roots])
      for (const cwd of [scratch.at("/home/u"), "..", "out", "none", "README.md", "/"]) {
        const error = yield* Effect.flip(PathContext.changeDirectory(context, cwd))
        assert.strictEqual(error.setting, "cwd")
      }
    })
  )

  it.scopedLive("protects the repository directory that a worktree's .git file names (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([
        ["dir", "/store/main"],
        ["text", "/w2/.git", "gitdir: /store/main"]
      ])
      const roots = [scratch.at("/w2"), scratch.at("/store")]
      const context = yield* PathContext.make(scratch.context({ cwd: scratch.at("/w2"), roots }))
      assert.strictEqual(judgeLexical(scratch.at("/store/main/hooks/x"), "write", context).rule, "path/repository")
      assert.strictEqual(judgeLexical(scratch.at("/store/other"), "write", context).decision, "allow")
    })
  )
})
