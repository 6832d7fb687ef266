import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { isDeepStrictEqual } from "node:util"
import { type NotJson, parseJson } from "../text/Json.ts"
import { json } from "./json.ts"

/** The parameters in the text of a model: an object, empty where the text is. */
export const parametersIn = (text: string): Either.Either<unknown, NotJson> =>
  text.trim() === ""
    ? Either.right({})
    : // As it is: a copy may take a member `__proto__` for what it inherits.
      Either.filterOrLeft(parseJson(text), Predicate.isReadonlyRecord, () => "malformed" as const)

/** What runs as data of its own, where it is not what was asked for. */
export const changedFrom = (asked: string, rawParams: unknown): Option.Option<unknown> => {
  const running = Option.getOrElse(json(rawParams), () => "null")
  if (running === asked) return Option.none()
  const ran: unknown = JSON.parse(running)
  const wanted = Either.getOrUndefined(parametersIn(asked))
  return isDeepStrictEqual(wanted, ran) ? Option.none() : Option.some(ran)
}
