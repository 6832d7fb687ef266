import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { outputRounds } from "../support/outputRounds.ts"

it.live("hooks and git on a busy machine lose no answer and run nothing (R15)", () =>
  Effect.map(outputRounds(40, 40), ({ faults }) => assert.deepStrictEqual(faults, []))
)
