import * as Effect from "effect/Effect"
import type { Instructions } from "../host/Instructions.ts"
import { makeVisible } from "../text/visible.ts"
import { Ui } from "../ui/Ui.ts"

/** Files that are named. */
const maxTold = 5

/** What of the instructions does not reach the model, a line each. */
export const unread = ({ problems }: Instructions): ReadonlyArray<string> => {
  const more = problems.length > maxTold ? [`${problems.length - maxTold} more; see tollgate doctor`] : []
  return [...problems.slice(0, maxTold).map((problem) => `instructions: ${makeVisible(problem)}`), ...more]
}

/** Says so where some of the instructions do not reach the model. */
export const warn = (instructions: Effect.Effect<Instructions>): Effect.Effect<void, never, Ui> =>
  Effect.gen(function* () {
    const ui = yield* Ui
    const texts = unread(yield* instructions)
    yield* Effect.forEach(texts, (text) => ui.display({ _tag: "Note", level: "warning", text }), { discard: true })
  })
