import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { corpus } from "../support/corpora.ts"
import { play } from "./Interpreter.ts"
import { check } from "./Invariants.ts"
import type { Expected, Input } from "./Step.ts"

describe("the approval corpus against the real runtime (A1–A11)", () => {
  for (const { expected, id, input, why } of corpus<Input, Expected>("d_approval")) {
    it.scoped(`${id}: ${why}`, () => Effect.map(play(input), (outcome) => check(expected, outcome)))
  }
})
