import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { kept, siblings } from "../support/corpora.ts"
import { play } from "./Interpreter.ts"
import { check, isKnownInvariant } from "./Invariants.ts"
import type { Expected, Input, Step } from "./Step.ts"
import { isKnown } from "./Vocabulary.ts"

const rows = siblings<Input, Expected>("approvals")

describe("siblings of the approval corpus (A1–A11)", () => {
  for (const { expected, id, input, why } of rows) {
    it.scoped(`${id}: ${why}`, () => Effect.map(play(input), (outcome) => check(expected, outcome)))
  }

  it("say nothing that the interpreter passes over, nor does a step of the rows kept here (A1–A11)", () => {
    const steps = (list: ReadonlyArray<Step>): ReadonlyArray<Step> =>
      list.flatMap((step) => [step, ...steps(step.steps ?? [])])
    for (const { id, input } of [...rows, ...kept<Input, Expected>("d_approval")]) {
      for (const step of steps(input.steps)) assert.isTrue(isKnown(step), `${id} ${step.step}`)
    }
    for (const { expected, id } of rows) {
      for (const words of expected.invariants ?? []) assert.isTrue(isKnownInvariant(words), `${id} ${words}`)
    }
  })
})
