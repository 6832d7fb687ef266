import highlighter from "highlight.js/lib/common"
import { isColourable } from "../../../text/isColourable.ts"
import type { Style } from "../Style.ts"
import { exactly, type Paint, type Span, span } from "./spans.ts"

/** Characters of code that are coloured. */
const limit = 16 * 1024

const paintOf = (name: string, style: Style): Paint | undefined => {
  switch (name.split(/[ _.]/)[0]) {
    case "keyword":
    case "literal":
    case "selector-tag":
    case "meta":
      return style.magenta
    case "string":
    case "regexp":
    case "addition":
      return style.green
    case "number":
    case "symbol":
    case "bullet":
      return style.cyan
    case "title":
    case "section":
    case "attr":
    case "attribute":
    case "name":
      return style.blue
    case "built":
    case "type":
    case "variable":
      return style.yellow
    case "deletion":
      return style.red
    case "comment":
    case "quote":
      return style.dim
    default:
      return undefined
  }
}

const signs: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#x27": "'" }

/** What the highlighter gives, as spans. */
const spansOf = (html: string, style: Style): ReadonlyArray<Span> => {
  const paints: Array<Paint | undefined> = []
  const spans: Array<Span> = []
  for (const [, name, end, text] of html.matchAll(/<span class="(?:hljs-|language-)?([^"]*)">|(<\/span>)|([^<]+)/g)) {
    if (name !== undefined) paints.push(paintOf(name, style) ?? paints.at(-1))
    else if (end !== undefined) paints.pop()
    else if (text !== undefined) {
      const plain = text.replaceAll(/&(lt|gt|amp|quot|#x27);/g, (_, sign: string) => signs[sign] ?? "")
      spans.push(span(plain, paints.at(-1)))
    }
  }
  return spans
}

/** Code as rows no wider than `width`, coloured where its language is known; the highlighter is loaded with the first. */
export const codeRows = (
  text: string,
  language: string | undefined,
  { style, width }: { readonly style: Style; readonly width: number }
): ReadonlyArray<string> => {
  const indent = width > 24 ? "  " : ""
  const known = style.coloured && language !== undefined && isColourable(text, limit)
  const spans =
    known && highlighter.getLanguage(language) !== undefined
      ? spansOf(highlighter.highlight(text, { language, ignoreIllegals: true }).value, style)
      : [span(text)]
  return exactly(spans, width - indent.length).map((row) => (row === "" ? "" : `${indent}${row}`))
}
