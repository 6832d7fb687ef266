import { assert, describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { TokenStore } from "../../src/server/TokenStore.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

describe("the tokens of the user", () => {
  it.scoped("count also while another one is revoked, whose file is gone once it is read (X4)", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const names = Effect.gen(function* () {
        const store = yield* TokenStore
        yield* store.add({ name: "phone", scopes: ["view"] })
        fs.symlinkSync(path.join(directory, "nowhere"), path.join(directory, "desk.json"))
        return (yield* store.list).map(({ name }) => name)
      })
      assert.deepStrictEqual(yield* Effect.provide(names, TokenStore.layerFiles(directory)), ["phone"])
    })
  )

  it.scoped("count also beside a file that cannot be read, and that one once it can be (X4)", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const names = Effect.gen(function* () {
        const store = yield* TokenStore
        yield* store.add({ name: "desk", scopes: ["view"] })
        yield* store.add({ name: "phone", scopes: ["view"] })
        const place = path.join(directory, "desk.json")
        const text = fs.readFileSync(place)
        fs.rmSync(place)
        fs.mkdirSync(place)
        fs.utimesSync(directory, 0, 0)
        yield* TestClock.adjust("1 minute")
        const before = yield* store.list
        fs.rmdirSync(place)
        fs.writeFileSync(place, text)
        fs.utimesSync(directory, 0, 0)
        return [before, yield* store.list].map((tokens) => tokens.map(({ name }) => name))
      })
      assert.deepStrictEqual(yield* Effect.provide(names, TokenStore.layerFiles(directory)), [
        ["phone"],
        ["desk", "phone"]
      ])
    })
  )
})
