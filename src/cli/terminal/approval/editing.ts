import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Approval } from "../../../ui/Display.ts"
import { editedParameters } from "../../../ui/editedParameters.ts"

/** Lets the person change a text below rows; none where they leave it as it is, the message of what has failed where it cannot be changed. */
export type Edit = (
  text: string,
  above: () => ReadonlyArray<string>
) => Effect.Effect<Option.Option<string>, { readonly message: string }>

interface Parts {
  readonly approval: Pick<Approval, "issues" | "request">
  readonly edit: Edit
  readonly above: () => ReadonlyArray<string>
  /** Says what is wrong; whether the person goes on editing. */
  readonly goesOn: (wrong: ReadonlyArray<string>) => Effect.Effect<boolean>
}

/**
 * The parameters of a request as a person changes them; none where they stay as they are. A text that is not valid is kept:
 * editing goes on with it, now or later; after an empty one it begins anew.
 */
export const editing = ({ above, approval, edit, goesOn }: Parts): Effect.Effect<Option.Option<unknown>> => {
  const before = JSON.stringify(approval.request.arguments, undefined, 2) ?? "null"
  let kept = before
  return Effect.gen(function* () {
    for (;;) {
      const text = yield* Effect.either(edit(kept.trim() === "" ? before : kept, above))
      if (Either.isRight(text)) {
        if (Option.isNone(text.right)) return Option.none()
        kept = text.right.value
        if (kept.trim() === before) return Option.none()
      }
      const read = Either.isLeft(text) ? Either.left([text.left.message]) : yield* editedParameters(kept, approval)
      if (Either.isRight(read)) return Option.some(read.right)
      if (!(yield* goesOn(read.left))) return Option.none()
    }
  })
}
