import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { jsonError } from "../redaction/jsonError.ts"
import { mistakesIn } from "../redaction/Mistake.ts"
import { parseAnswer, repeatedName } from "../text/Json.ts"
import type { Approval } from "./Display.ts"

/** The parameters that a person has written in place of those of a request, or what is wrong with them and where, in lines. */
export const editedParameters = (
  text: string,
  { issues }: Pick<Approval, "issues">
): Effect.Effect<Either.Either<unknown, ReadonlyArray<string>>> => {
  const read = parseAnswer(text)
  if (Either.isLeft(read)) {
    const why = {
      malformed: () => jsonError(text),
      "too deep": () => "it is nested too deeply",
      ambiguous: () => `it has the name ${JSON.stringify(repeatedName(text))} twice in one object`
    }
    return Effect.succeed(Either.left([why[read.left]()]))
  }
  const valid = Either.right(read.right)
  if (issues === undefined) return Effect.succeed(valid)
  return Effect.map(issues(read.right), (found) =>
    found.length === 0
      ? valid
      : Either.left(mistakesIn(found).map(({ path, problem }) => [...path, problem].join(": ")))
  )
}
