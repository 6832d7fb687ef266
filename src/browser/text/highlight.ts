import highlighter from "highlight.js/lib/core"
import bash from "highlight.js/lib/languages/bash"
import css from "highlight.js/lib/languages/css"
import go from "highlight.js/lib/languages/go"
import ini from "highlight.js/lib/languages/ini"
import javascript from "highlight.js/lib/languages/javascript"
import json from "highlight.js/lib/languages/json"
import markdown from "highlight.js/lib/languages/markdown"
import python from "highlight.js/lib/languages/python"
import rust from "highlight.js/lib/languages/rust"
import sql from "highlight.js/lib/languages/sql"
import typescript from "highlight.js/lib/languages/typescript"
import xml from "highlight.js/lib/languages/xml"
import yaml from "highlight.js/lib/languages/yaml"
import { isColourable } from "../../text/isColourable.ts"
import type { Piece } from "./Piece.ts"

const languages = { bash, css, go, ini, javascript, json, markdown, python, rust, sql, typescript, xml, yaml }
for (const [name, language] of Object.entries(languages)) highlighter.registerLanguage(name, language)

/** Characters of a text that is coloured. */
const maxText = 30_000

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" }
const plain = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#x27);/g, (_, name: string) => entities[name]!)

/** The pieces of a text in a language, together the text itself; one piece where the language is not known. */
export const highlighted = (text: string, language: string): ReadonlyArray<Piece> => {
  if (!isColourable(text, maxText) || highlighter.getLanguage(language) === undefined) return [{ text, kind: "" }]
  const { value } = highlighter.highlight(text, { language, ignoreIllegals: true })
  const kinds: Array<string> = []
  const pieces: Array<Piece> = []
  for (const [, kind, end, raw] of value.matchAll(/<span class="([^"]*)">|(<\/span>)|([^<]+)/g)) {
    if (kind !== undefined) kinds.push(kind.split(" ", 1)[0]!.replace("hljs-", ""))
    else if (end !== undefined) kinds.pop()
    else if (raw !== undefined) pieces.push({ text: plain(raw), kind: kinds.at(-1) ?? "" })
  }
  // Whatever a grammar does: the text that is shown is the text that was given.
  return pieces.map((piece) => piece.text).join("") === text ? pieces : [{ text, kind: "" }]
}
