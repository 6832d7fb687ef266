import { parse, type Script } from "unbash"

/** Bytes of UTF-8. */
export const maximumLength = 4096
/** Separators, pipes and redirections. */
const maximumOperators = 400
const maximumSubstitutions = 48
/** Substitutions times length, in characters: what the parser's time grows with. */
const maximumWork = 32_768

export interface Source {
  readonly text: string
  readonly script: Script
  /** What the parser could not make sense of. */
  readonly error: string | undefined
}

export const isTooLong = (text: string): boolean =>
  text.length > maximumLength || Buffer.byteLength(text) > maximumLength

/** Whether a text has so many parts that analysing it would take longer than a person should wait. */
export const isTooComplex = (text: string): boolean => {
  let operators = 0
  let substitutions = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (
      char === "`" ||
      (char === "(" && "$<>(".includes(text.charAt(at - 1))) ||
      (char === "$" && "{[".includes(text.charAt(at + 1)))
    )
      substitutions++
    else if (";&|<>\n".includes(char)) operators++
  }
  return (
    operators > maximumOperators || substitutions > maximumSubstitutions || substitutions * text.length > maximumWork
  )
}

export const read = (text: string): Source => {
  const script = parse(text)
  return { text, script, error: script.errors?.[0]?.message }
}
