// @effect-diagnostics asyncFunction:off - drives real processes from outside
import { assert, describe, it } from "@effect/vitest"
import { hour, matches, type Size, sizes } from "./hour.ts"

describe("the tour", () => {
  const { open } = hour()
  const taken = async (size: Size) => {
    const tour = await open(["tour"], size)
    for (const [asked, key] of [
      ["Write harvest.md", "y"],
      ["Run bash check.sh", "y"],
      ["Run rm -r ledger", "n"]
    ] as const) {
      await tour.seen(new RegExp(`⏸ ${asked}[^]*\nallow[?]`))
      tour.press(key)
    }
    assert.strictEqual(await tour.ended, 0)
    await matches(tour, "start-tour", size)
  }

  it("shows what it asks for and where to go from there, at 80 × 24 and at 120 × 40 (U12)", async () => {
    await Promise.all(sizes.map(taken))
  })
})
