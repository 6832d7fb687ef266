// @effect-diagnostics processEnv:off globalDate:off - the time zone is the process's
import { afterEach, assert, describe, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { beginOf, dayOf } from "../../src/cost/calendar.ts"

describe("the calendar of the machine", () => {
  const { TZ } = process.env
  afterEach(() => {
    if (TZ === undefined) delete process.env["TZ"]
    else process.env["TZ"] = TZ
  })

  it.each(["UTC", "Asia/Kathmandu", "America/Los_Angeles", "Pacific/Apia"])(
    "has the day of a time as Intl has it, and when that begins, in %s (C2)",
    (zone) => {
      process.env["TZ"] = zone
      const format = new Intl.DateTimeFormat("en-CA", { timeZone: zone, dateStyle: "short" })
      fc.assert(
        fc.property(fc.integer({ min: Date.UTC(2012, 1), max: Date.UTC(2060, 1) }), (time) => {
          const day = dayOf(time)
          assert.strictEqual(day, format.format(time))
          const begin = beginOf(day)!
          assert.isTrue(begin <= time && time - begin < 26 * 3_600_000, day)
          assert.strictEqual(dayOf(begin), day)
        })
      )
    }
  )
})
