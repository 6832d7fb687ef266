import * as Either from "effect/Either"
import { parseJson } from "../text/Json.ts"

export type JsonObject = Readonly<Record<string, unknown>>

/** The object in a model's JSON text of arguments, or the text itself if it holds none. */
export const parseArguments = (text: string): Either.Either<JsonObject, string> => {
  const value = Either.getOrUndefined(parseJson(text.trim() === "" ? "{}" : text))
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Either.right(value as JsonObject)
    : Either.left(text)
}

/** Arguments for a server that takes only objects: invalid text goes back wrapped, where the model sees it. */
export const sendableArguments = (text: string): JsonObject =>
  Either.getOrElse(parseArguments(text), (unparsed) => ({ unparsed }))
