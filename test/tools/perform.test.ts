import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as fs from "node:fs"
import type { CallEvent } from "../../src/gate/CallEvent.ts"
import * as Budget from "../../src/tools/files/Budget.ts"
import { matcher, searchText } from "../../src/tools/files/Search.ts"
import { eventually } from "../process/support.ts"
import { call, changes, world } from "./support.ts"

const files = ["a.txt", "b.txt", "c.txt", "d.txt"]

const patch = [
  "*** Begin Patch",
  ...files.flatMap((name) => [`*** Update File: ${name}`, "@@", "-old", "+new"]),
  "*** End Patch"
].join("\n")

describe("a change of several files", () => {
  it.scopedLive("is done and reported as a whole or not at all, whenever it is interrupted (S2)", () =>
    Effect.gen(function* () {
      const here = yield* world
      const outcomes = new Set<string>()
      for (let round = 0; round < 24; round++) {
        for (const name of files) here.write(name, "old\n")
        const told: Array<CallEvent> = []
        const watch = (event: CallEvent) => Effect.sync(() => void told.push(event))
        const calling = call("apply_patch", { patch }, () => "approve", watch)
        const fiber = yield* Effect.fork(Effect.provide(calling, here.layer()))
        yield* eventually(() => here.read(files[round % files.length] ?? "") === "new\n" || fiber.unsafePoll() !== null)
        yield* Fiber.interrupt(fiber)
        outcomes.add(`${files.map((name) => here.read(name).trim()).join(" ")}, ${changes(told).length} reported`)
      }
      for (const outcome of outcomes) {
        assert.include(["old old old old, 0 reported", "new new new new, 4 reported"], outcome)
      }
      assert.include([...outcomes], "old old old old, 0 reported")
      assert.deepStrictEqual(fs.readdirSync(here.root).toSorted(), files)
    })
  )
})

describe("a search", () => {
  it.effect("stops when its time is up, by the clock, and says so (S1)", () =>
    Effect.gen(function* () {
      const budget = yield* Budget.make({ found: 10, text: 1000, files: 10, millis: 5000 })
      const matches = Either.getOrThrow(matcher("x", false))
      assert.isUndefined(budget.spent)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(budget.spent, "stopped after 5 s")
      assert.deepStrictEqual(yield* searchText("a", "x\nx\n", matches, 0, budget), [])
    })
  )
})
