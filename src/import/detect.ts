import type { ImportFormat } from "./Draft.ts"
import { document } from "./Document.ts"
import { html } from "./Html.ts"
import { refuse } from "./ImportProblem.ts"
import { jsonl } from "./Jsonl.ts"
import { markdown } from "./Markdown.ts"
import type { Reader } from "./Reader.ts"

/** Characters by which a format is recognized. */
const enough = 64 * 1024

/** Names that a document begins with, and no line of a transcript. */
const documentNames = /^\{\s*"(?:format|version|session|messages|model)"/

/** Whether a line is a JSON object by itself, and none that holds a whole conversation. */
const isEntry = (line: string): boolean => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null && !("messages" in value) && !("format" in value)
  } catch {
    return false
  }
}

/** The reader of a text that begins so. */
const readerOf = (beginning: string): Reader => {
  const text = beginning.trimStart()
  if (text.startsWith("<") && !text.startsWith("<!-- ")) return html()
  if (text.startsWith("[")) return document()
  if (text.startsWith("{")) {
    const [line = "", rest] = text.split("\n", 2)
    // The first line of a transcript can be longer than what is looked at.
    const cut = rest === undefined && line.length >= enough - 1
    return (cut ? !documentNames.test(line) : isEntry(line)) ? jsonl() : document()
  }
  if (text === "") return refuse("the file is empty")
  return /^(?:---|#|<!-- )/.test(text)
    ? markdown()
    : refuse("it is no format that can be imported: JSON, JSONL, Markdown or HTML")
}

const readers: Readonly<Record<Exclude<ImportFormat, "messages" | "claude-code" | "codex">, () => Reader>> = {
  json: document,
  markdown,
  html
}

/** The formats that can be named; of JSON lines, the kind is found by the first one. */
export type NamedFormat = keyof typeof readers | "jsonl"

/** Reads a text of the format that it is in. */
export const detected = (named?: NamedFormat): Reader => {
  let held = ""
  let first = true
  let reader: Reader | undefined = named === undefined ? undefined : named === "jsonl" ? jsonl() : readers[named]()
  const start = (): void => {
    if (held.includes("\0")) refuse("it is not text: it has the character 0")
    reader = readerOf(held)
    reader.push(held)
    held = ""
  }
  return {
    push: (text) => {
      const own = first ? text.replace(/^\u{feff}/u, "") : text
      if (text !== "") first = false
      if (reader !== undefined) return reader.push(own)
      held += own
      if (held.length >= enough) start()
    },
    end: () => {
      if (reader === undefined) start()
      return reader?.end() ?? refuse("the file is empty")
    }
  }
}
