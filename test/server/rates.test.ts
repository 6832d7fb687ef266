import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Rates } from "../../src/server/Rates.ts"

describe("how often somebody may ask", () => {
  it.effect("counts who asks all the time also where many others ask once (X4, R5)", () =>
    Effect.gen(function* () {
      const { take } = yield* Rates
      const rate = { perSecond: 1, burst: 2 }
      const often = take("often", rate)
      assert.deepStrictEqual(yield* Effect.replicateEffect(often, 3), [true, true, false])
      for (let other = 0; other < 5000; other++) {
        yield* take(`other ${other}`, rate)
        if (other % 1000 === 0) assert.isFalse(yield* often)
      }
      assert.isFalse(yield* often)
    }).pipe(Effect.provide(Rates.layer))
  )
})
