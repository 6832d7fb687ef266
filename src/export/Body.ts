import { makeVisible, visibleJson } from "../text/visible.ts"

/**
 * How a text stands in a document that people read: as it is, between fences where its edges count, or as one JSON string
 * for each line where it has characters that no reader would see.
 */
export type Form = "plain" | "text" | "strings"

/** What a document takes for its own at the beginning of a text. */
const marked = /^(?:`{3,}|_\d|---|<!--)/

export const formOf = (text: string): Form =>
  makeVisible(text) !== text ? "strings" : text === "" || text !== text.trim() || marked.test(text) ? "text" : "plain"

/** One JSON string for each line. */
export const toStrings = (text: string): string =>
  text
    .split("\n")
    .map((line) => visibleJson(JSON.stringify(line)))
    .join("\n")

/** The text of such lines; nothing where one is no JSON string. */
export const fromStrings = (lines: string): string | undefined => {
  const found: Array<string> = []
  for (const line of lines.split("\n")) {
    try {
      const value: unknown = JSON.parse(line)
      if (typeof value !== "string") return undefined
      found.push(value)
    } catch {
      return undefined
    }
  }
  return found.join("\n")
}

const simple = /^[\w.:/-]{1,200}$/

/** A name or an id inside a line: as it is, or as a JSON string. */
export const toWord = (text: string): string => (simple.test(text) ? text : visibleJson(JSON.stringify(text)))

/** The source of an expression for such a word. */
export const word = String.raw`[\w.:/-]{1,200}|"(?:[^"\\]|\\.){0,10000}"`

export const fromWord = (text: string): string => {
  if (!text.startsWith('"')) return text
  try {
    return String(JSON.parse(text))
  } catch {
    return text
  }
}
