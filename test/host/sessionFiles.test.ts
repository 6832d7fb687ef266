import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Checkpoints from "../../src/checkpoint/Checkpoints.ts"
import { Configuration } from "../../src/config/Configuration.ts"
import * as sessionFiles from "../../src/host/sessionFiles.ts"
import { SessionFiles } from "../../src/runtime/SessionFiles.ts"
import { failureOf } from "../support/failureOf.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

const world = Effect.gen(function* () {
  const home = yield* temporaryDirectory
  const env = new Map([
    ["HOME", home],
    ["TOLLGATE_HOME", home]
  ])
  const layer = sessionFiles.layer.pipe(
    Layer.provide(Configuration.layer()),
    Layer.provide(Layer.setConfigProvider(ConfigProvider.fromMap(env)))
  )
  const context = yield* Layer.build(layer)
  const files = yield* Effect.provide(SessionFiles, context)
  const checkpoints = path.join(home, "checkpoints")
  const results = path.join(home, "results")
  const of = (place: string, session: string) => Checkpoints.directoryOf(place, session)
  const put = (place: string, session: string, name: string, text: string) => {
    fs.mkdirSync(of(place, session), { recursive: true })
    fs.writeFileSync(path.join(of(place, session), name), text)
  }
  const names = (session: string) =>
    fs.existsSync(of(checkpoints, session)) ? fs.readdirSync(of(checkpoints, session)).toSorted() : []
  return { checkpoints, files, names, of, put, results }
})

describe("the files of sessions", () => {
  it.scopedLive("are copied as they are, instead of what an earlier attempt left, without unfinished ones (K6)", () =>
    Effect.gen(function* () {
      const { checkpoints, files, names, put } = yield* world
      put(checkpoints, "a", "one", "1")
      put(checkpoints, "a", "two", "2")
      put(checkpoints, "a", ".1-00.tmp", "half")
      put(checkpoints, "b", "one", "1")
      put(checkpoints, "b", "old", "0")
      yield* files.copy("a", "b")
      assert.deepStrictEqual(names("b"), ["one", "two"])
      yield* files.copy("none", "c")
      assert.deepStrictEqual(names("c"), [])
      yield* files.remove("a")
      assert.deepStrictEqual([names("a"), names("b")], [[], ["one", "two"]])
    })
  )

  it.scopedLive("say what could not be copied or removed, where and why (K6, S5)", () =>
    Effect.gen(function* () {
      const { checkpoints, files, of, put, results } = yield* world
      // What is no directory can neither be read nor emptied as one, by nobody.
      fs.writeFileSync(checkpoints, "")
      for (const [self, action] of [
        [files.copy("a", "b"), "copy"],
        [files.remove("a"), "remove"]
      ] as const) {
        const { path: place, ...failure } = yield* failureOf(self)
        assert.deepInclude(failure, { _tag: "SessionFilesFailed", session: "a", action })
        assert.strictEqual(failure.reason, "part of the path is not a directory")
        assert.strictEqual(place, of(checkpoints, "a"))
      }
      fs.rmSync(checkpoints)
      put(results, "a", "x.result.txt", "long")
      yield* files.remove("a")
      assert.isFalse(fs.existsSync(of(results, "a")))
      fs.rmSync(results, { recursive: true })
      fs.writeFileSync(results, "")
      assert.strictEqual((yield* failureOf(files.remove("a"))).path, of(results, "a"))
    })
  )
})
