import type { Token, Tokens } from "marked"
import type { Style } from "../Style.ts"
import { type Paint, type Span, span } from "./spans.ts"

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'", nbsp: " " }

/** The five names that stand for signs of Markdown itself; any other stays as it is written. */
const decoded = (text: string): string =>
  text.replaceAll(/&(lt|gt|amp|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? "")

const both =
  (outer: Paint | undefined, inner: Paint): Paint =>
  (text) =>
    outer === undefined ? inner(text) : outer(inner(text))

/** Running text as spans. */
export const inline = (tokens: ReadonlyArray<Token>, style: Style, outer?: Paint): ReadonlyArray<Span> => {
  const below = (
    token: { readonly tokens?: ReadonlyArray<Token> | undefined; readonly text: string },
    paint?: Paint
  ) => (token.tokens === undefined ? [span(decoded(token.text), paint)] : inline(token.tokens, style, paint))
  return tokens.flatMap((token): ReadonlyArray<Span> => {
    switch (token.type) {
      case "strong":
        return below(token as Tokens.Strong, both(outer, style.bold))
      case "em":
        return below(token as Tokens.Em, both(outer, style.italic))
      case "del":
        return [span("~~", outer), ...below(token as Tokens.Del, both(outer, style.dim)), span("~~", outer)]
      case "codespan": {
        const { text } = token as Tokens.Codespan
        return [span(style.coloured ? text : `\`${text}\``, both(outer, style.cyan))]
      }
      case "br":
        return [span("\n")]
      case "link":
      case "image": {
        const { autolink, href, text } = token as Tokens.Link
        const shown = below(token as Tokens.Link, both(outer, style.blue))
        const same = autolink === true || href === text || href === `mailto:${text}` || href === ""
        return same ? shown : [...shown, span(` (${href})`, both(outer, style.dim))]
      }
      case "checkbox":
        return [span((token as Tokens.Checkbox).checked ? "[x] " : "[ ] ", outer)]
      case "html":
        return [span(token.raw, outer)]
      case "escape":
        return [span((token as Tokens.Escape).text, outer)]
      default:
        return below(
          { tokens: (token as Tokens.Generic).tokens, text: (token as Tokens.Text).text ?? token.raw },
          outer
        )
    }
  })
}
