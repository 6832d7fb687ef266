import * as Either from "effect/Either"
import { Lexer, type Token, type Tokens } from "marked"
import { makeVisible } from "../../../text/visible.ts"
import { columns } from "../Layout.ts"
import type { Style } from "../Style.ts"
import type { Block } from "../../../text/MarkdownBlocks.ts"
import { codeRows } from "./code.ts"
import { inline } from "./inline.ts"
import { flow, span } from "./spans.ts"
import { tableRows } from "./table.ts"

export interface RenderOptions {
  readonly style: Style
  readonly width: number
}

/** Columns that text keeps however deep it is nested. */
const least = 12

/** Rows behind a mark, the others below the text of the first; where there is no room for that, below the mark. */
const behind = (
  mark: string,
  rest: string,
  width: number,
  inner: (width: number) => ReadonlyArray<string>
): ReadonlyArray<string> => {
  const wide = columns(mark)
  if (width - wide < least) return [mark.trimEnd(), ...inner(width)]
  const [first = "", ...others] = inner(width - wide)
  return [
    `${mark}${first}`.trimEnd(),
    ...others.map((row) => (row === "" && rest.trim() === "" ? "" : `${rest}${row}`))
  ]
}

const listRows = ({ items, loose, ordered, start }: Tokens.List, options: RenderOptions): ReadonlyArray<string> =>
  items.flatMap((item, index) => {
    const mark = ordered ? `${Number(start === "" ? 1 : start) + index}. ` : "- "
    const rows = behind(mark, " ".repeat(mark.length), options.width, (width) =>
      blockRows(item.tokens, { ...options, width }, loose)
    )
    return loose && index > 0 ? ["", ...rows] : rows
  })

/** One token of a text; nothing for what only separates others. */
const rowsOf = (token: Token, options: RenderOptions): ReadonlyArray<string> | undefined => {
  const { style, width } = options
  switch (token.type) {
    case "space":
      return undefined
    case "heading": {
      const { depth, tokens } = token as Tokens.Heading
      const mark = style.coloured ? [] : [span(`${"#".repeat(depth)} `)]
      return flow([...mark, ...inline(tokens, style, style.bold)], width)
    }
    case "code": {
      const { lang, text } = token as Tokens.Code
      return codeRows(text, lang?.split(/[\s{]/)[0], options)
    }
    case "blockquote": {
      const bar = style.dim("│ ")
      return behind(bar, bar, width, (inner) => blockRows((token as Tokens.Blockquote).tokens, { style, width: inner }))
    }
    case "list":
      return listRows(token as Tokens.List, options)
    case "table":
      return tableRows(token as Tokens.Table, options)
    case "hr":
      return [style.dim("─".repeat(width))]
    case "html":
    case "def":
      return flow([span(token.raw.replace(/\n+$/, ""))], width)
    default:
      return flow(inline([token], style), width)
  }
}

/** Running text that stands side by side. */
const isInline = (token: Token): boolean =>
  ["checkbox", "text", "strong", "em", "codespan", "link"].includes(token.type)

const blockRows = (tokens: ReadonlyArray<Token>, options: RenderOptions, apart = true): ReadonlyArray<string> => {
  const groups: Array<ReadonlyArray<string>> = []
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at]!
    if (token.type === "checkbox") {
      const run = [token]
      const next = tokens[at + 1]
      if (next !== undefined && (isInline(next) || next.type === "paragraph")) run.push(tokens[++at]!)
      groups.push(flow(inline(run, options.style), options.width))
      continue
    }
    const rows = rowsOf(token, options)
    if (rows !== undefined) groups.push(rows)
  }
  return groups.flatMap((rows, index) => (index > 0 && apart ? ["", ...rows] : rows))
}

/** One block of an answer as rows no wider than `width`. */
export const render = (block: Block, options: RenderOptions): ReadonlyArray<string> => {
  const text = makeVisible(block.text)
  switch (block.kind) {
    case "code":
      return codeRows(text, block.language, options)
    case "plain":
      return flow([span(text)], options.width)
    case "markdown":
      return Either.getOrElse(
        Either.try(() => blockRows(new Lexer({ gfm: true }).lex(text), options)),
        // Nested deeper than the lexer goes.
        () => flow([span(text)], options.width)
      )
  }
}
