import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { judge } from "../../../src/policy/path/PathPolicy.ts"
import { list, walk } from "../../../src/policy/path/Walk.ts"
import { Scratch } from "./scratch.ts"

describe("Walk", () => {
  it.scopedLive("lists a directory with symlinks as symlinks, up to a limit (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([
        ["symlink", "/w/src/l", "/out"],
        ["fifo", "/w/src/p"],
        ["dir", "/w/src/d"]
      ])
      const src = yield* judge("src", "list", scratch.context())
      assert.deepStrictEqual(yield* list(src), {
        entries: [
          { name: "d", kind: "directory" },
          { name: "l", kind: "symlink" },
          { name: "p", kind: "fifo" },
          { name: "x.ts", kind: "file" }
        ],
        truncated: false
      })
      const some = yield* list(src, { limit: 2 })
      assert.deepStrictEqual([some.entries.length, some.truncated], [2, true])
    })
  )

  it.scopedLive("walks parents before children, enters no symlink and marks what needs asking (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      scratch.build([
        ["symlink", "/w/loop", "."],
        ["symlink", "/w/away", "/home/u"],
        ["file", "/w/src/deep/y.ts"],
        ["file", "/w/.ssh/id_rsa"]
      ])
      const top = yield* judge("**/*", "glob", scratch.context())
      const found = yield* Stream.runCollect(walk(top, { skip: ({ relative }) => relative === ".git" }))
      assert.deepStrictEqual(
        [...found].map(({ decision, kind, relative }) => `${relative} ${kind} ${decision}`),
        [
          ".env file ask",
          ".env.example file allow",
          "README.md file allow",
          "away symlink allow",
          "loop symlink allow",
          "src directory allow",
          "src/deep directory allow",
          "src/x.ts file allow",
          "src/deep/y.ts file allow"
        ]
      )
    })
  )

  it.scopedLive("starts a pattern's walk at the deepest directory that holds all matches (S2)", () =>
    Effect.gen(function* () {
      const scratch = yield* Scratch.fixture
      for (const [pattern, expected] of [
        ["src/*.ts", "/w/src"],
        ["**/*.ts", "/w"],
        [`${scratch.prefix}/w/src/{a,b}/x`, "/w/src"],
        ["README.md", "/w"]
      ] as const) {
        assert.strictEqual((yield* judge(pattern, "glob", scratch.context())).path, scratch.at(expected), pattern)
      }
    })
  )
})
