import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, TestClock } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Checkpoints from "../../src/checkpoint/Checkpoints.ts"
import { make } from "../../src/tools/files/rewinding.ts"
import { Workspace } from "../../src/tools/Workspace.ts"
import { sha256 } from "../../src/policy/path/Content.ts"
import { Doings, round } from "../support/rewinding.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"
import { FastCheck as fc } from "effect"

const bytes = (text: string) => new TextEncoder().encode(text)

describe("going back", () => {
  it.scopedLive("restores files byte for byte, or names those that somebody else has changed (K6)", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const sum = { restored: 0, left: 0 }
      for (const one of fc.sample(Doings, 25)) {
        const { left, restored } = yield* round(directory, one)
        sum.restored += restored
        sum.left += left
      }
      assert.isAbove(sum.restored, 10)
      assert.isAbove(sum.left, 0)
    })
  )

  it.scopedLive("follows no symlink and leaves the workspace for nothing (K6, S2)", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const root = path.join(directory, "w")
      const outside = path.join(directory, "outside")
      fs.mkdirSync(root)
      fs.mkdirSync(outside)
      fs.writeFileSync(path.join(outside, "x"), "theirs")
      fs.symlinkSync(outside, path.join(root, "d"))
      fs.symlinkSync(path.join(outside, "x"), path.join(root, "y"))
      const store = Checkpoints.make({ directory: path.join(directory, "kept") })
      const workspace = yield* Effect.provide(Workspace, Workspace.layer({ root, home: directory, trusted: false }))
      const before = { sha256: sha256(bytes("old")), bytes: 3, mode: 0o644 }
      yield* store.keep("s", before.sha256, bytes("old"))
      const after = sha256(bytes("theirs"))
      const rewinding = make(workspace, store)
      const files = [`${root}/d/x`, `${root}/y`, `${outside}/x`, `${root}/../outside/x`]
      const done = yield* rewinding.restore(
        "s",
        files.map((file) => ({ path: file, before, after })),
        undefined
      )
      assert.deepStrictEqual(done.restored, [])
      assert.strictEqual(done.left.length, files.length)
      assert.strictEqual(fs.readFileSync(path.join(outside, "x"), "utf8"), "theirs")
    })
  )

  it.scopedLive(
    "keeps contents for their owner alone, within its limits, and gives none that is not what it was (K6)",
    () =>
      Effect.gen(function* () {
        const directory = path.join(yield* temporaryDirectory, "kept")
        const store = Checkpoints.make({ directory, maxFiles: 3, maxBytes: 100 })
        const digests: Array<string> = []
        for (let index = 0; index < 5; index++) {
          const content = bytes(`content ${index}`)
          digests.push(sha256(content))
          assert.isUndefined(yield* store.keep("s", digests[index]!, content))
        }
        const own = Checkpoints.directoryOf(directory, "s")
        const kept = fs.readdirSync(own)
        assert.strictEqual(kept.length, 3)
        assert.strictEqual(fs.statSync(own).mode & 0o777, 0o700)
        for (const one of kept) assert.strictEqual(fs.statSync(path.join(own, one)).mode & 0o777, 0o600)
        assert.isTrue(Option.isSome(yield* store.find("s", digests[4]!)))
        fs.writeFileSync(path.join(own, digests[4]!), "something else")
        assert.isTrue(Option.isNone(yield* store.find("s", digests[4]!)))
        assert.isTrue(Option.isNone(yield* store.find("s", "../../x")))
        assert.strictEqual(yield* store.keep("s", sha256(new Uint8Array(101)), new Uint8Array(101)), "it is too large")
      })
  )

  it.scoped("counts what an earlier process has kept, and removes first what was replaced longest ago (K6)", () =>
    Effect.gen(function* () {
      const directory = path.join(yield* temporaryDirectory, "kept")
      const options = { directory, maxFiles: 3, maxBytes: 100 }
      const keep = (store: Checkpoints.CheckpointStore, text: string) =>
        Effect.zipRight(TestClock.adjust("1 second"), store.keep("s", sha256(bytes(text)), bytes(text)))
      yield* Effect.forEach(["a", "b", "c"], (text) => keep(Checkpoints.make(options), text))
      const store = Checkpoints.make(options)
      yield* Effect.forEach(["d", "b", "e"], (text) => keep(store, text))
      const kept = fs.readdirSync(Checkpoints.directoryOf(directory, "s"))
      assert.sameMembers(
        kept,
        ["b", "d", "e"].map((text) => sha256(bytes(text)))
      )
    })
  )
})
