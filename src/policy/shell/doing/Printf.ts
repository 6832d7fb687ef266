import type { Literal } from "../Literal.ts"
import { unknownPart } from "./Step.ts"

/** One conversion of a format, up to the letter behind its flags and sizes. */
const conversion = /%(?:%|[^a-zA-Z%]*[a-zA-Z]?)/g
/** A conversion that takes a text as it is. */
const ofText = /^%[^*$(]*[sbcq]$/
/** A size or a place that is an argument, or a time. */
const indirect = /[*$(]/
const number = /^-?(?:\d+(?:\.\d+)?|0x[\da-f]+)?$/i

/**
 * Whether `printf` is told to count with what may be no number. To zsh and ksh that is an expression, which can give variables values
 * and run a command: `printf %d 'path[$(id)]'`.
 */
export const countsByExpression = (args: ReadonlyArray<Literal>): boolean => {
  const [format = "", ...given] = args.slice(args[0]?.value === "--" ? 1 : 0).map(({ value }) => value)
  const conversions = (format.match(conversion) ?? []).filter((one) => one !== "%%")
  const counts = conversions.map((one) => !ofText.test(one))
  const isMixed =
    conversions.some((one) => indirect.test(one)) || given.some((value) => value.includes(unknownPart + unknownPart))
  return given.some(
    (value, at) =>
      !number.test(value) && (isMixed ? counts.includes(true) : counts[at % Math.max(1, counts.length)] === true)
  )
}
