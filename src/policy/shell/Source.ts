import { parse, type Script } from "unbash"

/** Bytes of UTF-8, without documents that are no shell text. */
export const maximumLength = 4096
/** Characters, with them. */
const maximumWhole = 65_536
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

/** The head of a document in which nothing is expanded: `<<'EOF'`. */
const documented = /<<-?[ \t]*(?:'(\w+)'|"(\w+)"|\\(\w+))[^\n]*\n/g

/** A text without such documents, which cost the parser nothing. */
const outline = (text: string): string => {
  if (!text.includes("<<") || text.length > maximumWhole) return text
  let left = ""
  let at = 0
  for (const head of text.matchAll(documented)) {
    const from = head.index + head[0].length
    if (head.index < at) continue
    const end = new RegExp(`^\\t*${head[1] ?? head[2] ?? head[3]}$`, "m").exec(text.slice(from))
    if (end === null) break
    left += text.slice(at, from)
    at = from + end.index
  }
  return left + text.slice(at)
}

export const isTooLong = (text: string): boolean => {
  return text.length > maximumWhole || Buffer.byteLength(outline(text)) > maximumLength
}

/** Whether a text has so many parts that analysing it would take longer than a person should wait. */
export const isTooComplex = (whole: string): boolean => {
  const text = outline(whole)
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
