import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Processes } from "../../../src/process/Processes.ts"
import { shellFuzz } from "../../support/shellFuzz.ts"

/** A bounded run; `scripts/soak/shell.ts` goes on for as long as it is told to. */
const texts = 150

describe("random shell texts", () => {
  it.live("change no file, open no connection and start nothing off the list where they run unasked (S3)", () =>
    Effect.gen(function* () {
      const report = yield* shellFuzz(texts, 20_260_101)
      assert.strictEqual(report.texts, texts)
      assert.deepStrictEqual(report.violations, [])
      assert.isAtLeast(report.allowed, texts / 20)
      if (report.reason === "detected") return assert.strictEqual(report.executed, report.allowed)
      assert.include(["unsupported-platform", "not-installed", "not-permitted"], report.reason)
      assert.strictEqual(report.executed, 0)
    }).pipe(Effect.provide(Processes.layer))
  )
})
