import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"

/** The time that a transcript says, in epoch milliseconds. */
export const timeOf = (text: unknown): number | undefined =>
  typeof text === "string" && text.length < 64
    ? Option.getOrUndefined(Option.map(DateTime.make(text), DateTime.toEpochMillis))
    : undefined

/** As a field of a message. */
export const createdAt = (text: unknown): { readonly createdAt?: number } => {
  const time = timeOf(text)
  return time === undefined ? {} : { createdAt: time }
}
