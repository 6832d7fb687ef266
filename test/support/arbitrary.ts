import { FastCheck } from "effect"

/** What a client does with a session, and when: the inputs of the interleaving property. */
export type Step =
  | { readonly _tag: "submit"; readonly task: number }
  | { readonly _tag: "cancel"; readonly task: number }
  | { readonly _tag: "interrupt" }
  | { readonly _tag: "decide"; readonly approve: boolean }
  | { readonly _tag: "pass"; readonly millis: number }

const task = FastCheck.integer({ min: 0, max: 5 })

export const steps: FastCheck.Arbitrary<ReadonlyArray<Step>> = FastCheck.array(
  FastCheck.oneof(
    { weight: 5, arbitrary: FastCheck.record({ _tag: FastCheck.constant("submit" as const), task }) },
    { weight: 2, arbitrary: FastCheck.record({ _tag: FastCheck.constant("cancel" as const), task }) },
    { weight: 1, arbitrary: FastCheck.constant({ _tag: "interrupt" as const }) },
    {
      weight: 3,
      arbitrary: FastCheck.record({ _tag: FastCheck.constant("decide" as const), approve: FastCheck.boolean() })
    },
    {
      weight: 3,
      arbitrary: FastCheck.record({
        _tag: FastCheck.constant("pass" as const),
        millis: FastCheck.integer({ min: 0, max: 60 })
      })
    }
  ),
  { minLength: 1, maxLength: 24 }
)

/** What a model asks for in one answer. */
export const toolNames = ["ok", "ask", "fail", "die", "throw", "wrong", "slow", "hang", "late"] as const
export type ToolName = (typeof toolNames)[number]
export const answers: FastCheck.Arbitrary<ReadonlyArray<ReadonlyArray<ToolName> | "fail" | "die" | "done">> =
  FastCheck.array(
    FastCheck.oneof(
      { weight: 6, arbitrary: FastCheck.array(FastCheck.constantFrom(...toolNames), { minLength: 1, maxLength: 3 }) },
      { weight: 2, arbitrary: FastCheck.constant("done" as const) },
      { weight: 1, arbitrary: FastCheck.constantFrom("fail" as const, "die" as const) }
    ),
    { minLength: 1, maxLength: 6 }
  )
