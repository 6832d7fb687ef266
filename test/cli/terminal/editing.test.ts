import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type Edit, editing } from "../../../src/cli/terminal/approval/editing.ts"
import { requested } from "../../approval/requested.ts"

describe("the parameters that a person edits", () => {
  const parameters = { path: "a.txt" }

  /** What the person sees of each edit where they answer in turn and give up after each. */
  const given = (...answers: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const shown: Array<string> = []
      const edit: Edit = (text) => {
        shown.push(text)
        return Effect.succeed(Option.fromNullable(answers[shown.length - 1]))
      }
      const asked = editing({
        approval: { request: requested(parameters) },
        edit,
        above: () => [],
        goesOn: () => Effect.succeed(false)
      })
      for (let times = 0; times <= answers.length; times++) assert.isTrue(Option.isNone(yield* asked))
      return shown
    })

  it.effect("begin anew after an empty text, and go on with one that is wrong (U5)", () =>
    Effect.gen(function* () {
      const before = JSON.stringify(parameters, undefined, 2)
      assert.deepStrictEqual(yield* given("", " \n"), [before, before, before])
      assert.deepStrictEqual(yield* given("{", ""), [before, "{", before])
    })
  )
})
