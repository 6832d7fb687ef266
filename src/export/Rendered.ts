import { Lexer, type Token, type Tokens } from "marked"
import { Blocks } from "../text/MarkdownBlocks.ts"
import type { Markup } from "./Markup.ts"

/** Characters of a text that is rendered; a longer one stands as it is. */
const maxText = 256 * 1024
/** Marks of emphasis in a block that is rendered: the time that they take grows with their square. */
const maxMarks = 400

/** The address of a link that a reader may follow. */
const reachable = (href: string): string | undefined => {
  const url = URL.parse(href)
  return url !== null && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined
}

const plainTags: Readonly<Record<string, string>> = { strong: "strong", em: "em", del: "del" }

/** Running text; an image is a link, and HTML is text. */
const inline = (tokens: ReadonlyArray<Token>, to: Markup): void => {
  for (const token of tokens) {
    const { text = token.raw, tokens: below, type } = token as Tokens.Generic
    const inside = () => (below === undefined ? to.text(String(text)) : inline(below, to))
    const tag = plainTags[type]
    if (tag !== undefined) to.element(tag, {}, inside)
    else if (type === "codespan") to.element("code", {}, () => to.text(String(text)))
    else if (type === "br") to.element("br", {})
    else if (type === "html") to.text(token.raw)
    else if (type === "checkbox") to.text((token as Tokens.Checkbox).checked ? "☑ " : "☐ ")
    else if (type === "link" || type === "image") {
      const { href } = token as Tokens.Link
      const url = reachable(href)
      if (url === undefined) to.text(token.raw)
      else to.element("a", { href: url, rel: "noopener noreferrer nofollow" }, inside)
    } else inside()
  }
}

const cells = (row: ReadonlyArray<Tokens.TableCell>, tag: string, to: Markup): void =>
  to.element("tr", {}, () => {
    for (const { tokens } of row) to.element(tag, {}, () => inline(tokens, to))
  })

/** A diff whose lines show what they add and take. */
export const diff = (text: string, to: Markup): void =>
  to.element("pre", { class: "diff" }, () => {
    for (const [index, line] of text.split("\n").entries()) {
      const kind = /^\+(?!\+\+)/.test(line)
        ? "ins"
        : /^-(?!--)/.test(line)
          ? "del"
          : line.startsWith("@@")
            ? "span"
            : ""
      if (index > 0) to.text("\n")
      if (kind === "") to.text(line)
      else to.element(kind, {}, () => to.text(line))
    }
  })

const code = (text: string, language: string | undefined, to: Markup): void =>
  language === "diff" || language === "patch"
    ? diff(text, to)
    : to.element("pre", {}, () => to.element("code", {}, () => to.text(text)))

const blocks = (tokens: ReadonlyArray<Token>, to: Markup): void => {
  for (const token of tokens) {
    switch (token.type) {
      case "space":
        break
      case "heading": {
        const { depth, tokens } = token as Tokens.Heading
        to.element(`h${Math.min(6, depth + 2)}`, {}, () => inline(tokens, to))
        break
      }
      case "code": {
        const { lang, text } = token as Tokens.Code
        code(text, lang, to)
        break
      }
      case "blockquote":
        to.element("blockquote", {}, () => blocks((token as Tokens.Blockquote).tokens, to))
        break
      case "list": {
        const { items, ordered, start } = token as Tokens.List
        const from = ordered && start !== "" ? { start: String(start) } : {}
        to.element(ordered ? "ol" : "ul", from, () => {
          for (const item of items) to.element("li", {}, () => blocks(item.tokens, to))
        })
        break
      }
      case "table": {
        const { header, rows } = token as Tokens.Table
        to.element("table", {}, () => {
          cells(header, "th", to)
          for (const row of rows) cells(row, "td", to)
        })
        break
      }
      case "hr":
        to.element("hr", {})
        break
      case "paragraph":
        to.element("p", {}, () => inline((token as Tokens.Paragraph).tokens, to))
        break
      default:
        inline([token], to)
    }
  }
}

/** A text of running words alone, which looks the same rendered. */
export const isPlain = (text: string): boolean =>
  !/[*_`#>[\]<|~\\&]|^[ \t]*(?:[-+]|\d+[.)])\s|https?:|@|\n\s*\n|^ {4}/m.test(text)

/** The tokens of a text; nothing where they are nested deeper than the lexer goes, or would take it too long. */
const lexed = (text: string): ReadonlyArray<Token> | undefined => {
  if ((text.match(/[*_~]/g)?.length ?? 0) > maxMarks) return undefined
  try {
    return new Lexer({ gfm: true }).lex(text)
  } catch {
    return undefined
  }
}

/** Markdown as a page shows it. */
export const rendered = (text: string, to: Markup): void => {
  const plain = (one: string) => to.element("pre", {}, () => to.text(one))
  if (text.length > maxText) return plain(text)
  const source = new Blocks()
  for (const { kind, language, text: one } of [...source.push(text), ...source.end()]) {
    const tokens = kind === "markdown" ? lexed(one) : undefined
    if (kind === "code") code(one, language, to)
    else if (tokens === undefined) plain(one)
    else blocks(tokens, to)
  }
}
