import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Presence from "../../src/database/Presence.ts"
import { temporaryDirectory } from "../support/temporaryDirectory.ts"

/** A number that no process has: it is above what any system gives. */
const gone = 2 ** 31 - 1

describe("what says that a process lives", () => {
  it.scoped("is removed once the process has ended, however many others live, and theirs stay (R9)", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const living = yield* Effect.replicateEffect(Presence.appear(directory), 40)
      const dead = living.map((id) => `${gone}-${id.split("-")[1]}`)
      for (const id of dead.slice(0, 20)) fs.writeFileSync(path.join(directory, id), "")
      const last = yield* Presence.appear(directory)
      assert.deepStrictEqual(fs.readdirSync(directory).toSorted(), [...living, last].toSorted())
      for (const id of living) assert.isTrue(yield* Presence.isPresent(directory, id))
      assert.isFalse(yield* Presence.isPresent(directory, dead[0]!))
    })
  )
})
