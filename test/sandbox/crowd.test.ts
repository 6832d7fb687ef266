// @effect-diagnostics processEnv:off - drives real processes from outside
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as fs from "node:fs"
import * as path from "node:path"
import { head } from "../../src/process/Output.ts"
import { Processes } from "../../src/process/Processes.ts"
import { isPlaceholder, make } from "../../src/sandbox/Placeholders.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { bundled } from "../support/program.ts"

const program = Effect.acquireRelease(
  Effect.promise(() => bundled("crowd")),
  ({ remove }) => Effect.sync(remove)
)

describe("placeholders of protected places", () => {
  it.scopedLive("let commands of several processes run in one directory at once, and none is left (S3)", () =>
    Effect.gen(function* () {
      if (!(yield* Sandbox).describe.isolated) return
      const root = fs.realpathSync(yield* temporaryDirectory)
      fs.mkdirSync(path.join(root, ".git"))
      const { file } = yield* program
      const processes = yield* Processes
      const crowd = processes.run({
        file: process.execPath,
        args: [file, root, "6"],
        cwd: root,
        env: { PATH: process.env["PATH"] ?? "" }
      })
      const ended = yield* Effect.all(
        Array.from({ length: 4 }, () => crowd),
        { concurrency: "unbounded" }
      )
      for (const { exitCode, stderr, stdout } of ended) {
        assert.deepStrictEqual([exitCode, head(stdout), head(stderr)], [0, "", ""])
      }
      assert.deepStrictEqual(fs.readdirSync(root), [".git"])
      assert.deepStrictEqual(fs.readdirSync(path.join(root, ".git")), [])
    }).pipe(Effect.provide(Layer.provideMerge(Sandbox.layerDetect, Processes.layer)))
  )

  it.scoped("stay while any process uses them, and go with the last (S3)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const [registry, place] = [path.join(base, "registry"), path.join(base, "place")]
      // Each stands for a process of its own: they know of each other by the file system alone.
      const [first, second] = [make(registry), make(registry)]
      const absent = [{ path: place, kind: "directory" }] as const
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Effect.scoped(first.hold(absent).pipe(Effect.zipRight(second.hold(absent))))
          assert.isFalse(fs.existsSync(place))
          yield* second.hold(absent)
          yield* Effect.scoped(first.hold(absent))
          assert.isTrue(fs.existsSync(place))
          assert.strictEqual(first.view.kind(place), "absent")
        })
      )
      assert.isFalse(fs.existsSync(place))
      assert.deepStrictEqual(fs.readdirSync(registry), [])
    })
  )

  it.scoped("that a killed process left are cleared by the next, and what a person put there stays (S3)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      const [registry, place] = [path.join(base, "registry"), path.join(base, "place")]
      const placeholders = make(registry)
      const absent = [{ path: place, kind: "file" }] as const
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* placeholders.hold(absent)
          const [users = ""] = fs.readdirSync(registry).filter((name) => !name.includes("."))
          // The number of no process.
          fs.writeFileSync(path.join(registry, users, `${2 ** 22 + 1}-dead`), "")
        })
      )
      assert.isFalse(fs.existsSync(place))
      yield* Effect.scoped(
        Effect.zipRight(
          placeholders.hold(absent),
          Effect.sync(() => {
            fs.writeFileSync(`${place}.new`, "")
            fs.renameSync(`${place}.new`, place)
            assert.strictEqual(placeholders.view.kind(place), "file")
          })
        )
      )
      assert.isTrue(fs.existsSync(place))
      assert.isFalse(isPlaceholder(place))
    })
  )

  it.scoped("are not held in a directory of somebody else's, and the command does not run (S3)", () =>
    Effect.gen(function* () {
      const base = yield* temporaryDirectory
      fs.writeFileSync(path.join(base, "registry"), "")
      const failed = yield* Effect.flip(
        Effect.scoped(make(path.join(base, "registry")).hold([{ path: path.join(base, "place"), kind: "file" }]))
      )
      assert.strictEqual(failed.code, "EPERM")
    })
  )
})
