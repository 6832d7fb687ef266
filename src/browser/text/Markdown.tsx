import { Lexer, type Token, type Tokens } from "marked"
import { Component, type ComponentChildren, type VNode } from "preact"
import { type Block, Blocks } from "../../text/MarkdownBlocks.ts"
import { makeVisible } from "../../text/visible.ts"
import { Code } from "./Code.tsx"
import { DiffView } from "./DiffView.tsx"

/** Marks of emphasis in a block that is rendered: the time that they take grows with their square. */
const maxMarks = 400

/** The address of a link that a reader may follow. */
const reachable = (href: string): URL | undefined => {
  const url = URL.canParse(href) ? new URL(href) : undefined
  return url !== undefined && ["http:", "https:", "mailto:"].includes(url.protocol) ? url : undefined
}

/** A link that says where it leads, which its text need not. */
const Link = ({ children, url }: { readonly url: URL; readonly children: ComponentChildren }) => (
  <>
    <a href={url.href} rel="noopener noreferrer nofollow" target="_blank">
      {children}
    </a>
    <span class="host">{` (${makeVisible(url.protocol === "mailto:" ? url.pathname : url.host)})`}</span>
  </>
)

/** Running text; an image is a link, and HTML is text. */
const inline = (tokens: ReadonlyArray<Token>): ComponentChildren =>
  tokens.map((token) => {
    const { text = token.raw, tokens: below, type } = token as Tokens.Generic
    const inside = (): ComponentChildren => (below === undefined ? makeVisible(unescaped(String(text))) : inline(below))
    switch (type) {
      case "strong":
        return <strong>{inside()}</strong>
      case "em":
        return <em>{inside()}</em>
      case "del":
        return <del>{inside()}</del>
      case "codespan":
        return <code>{makeVisible(String(text))}</code>
      case "br":
        return <br />
      case "html":
        return makeVisible(token.raw)
      case "checkbox":
        return (token as Tokens.Checkbox).checked ? "☑ " : "☐ "
      case "link":
      case "image": {
        const url = reachable((token as Tokens.Link).href)
        return url === undefined ? makeVisible(token.raw) : <Link url={url}>{inside()}</Link>
      }
      default:
        return inside()
    }
  })

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " }

/** The few entities that people write by name. */
const unescaped = (text: string): string =>
  text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (whole, name: string) => entities[name] ?? whole)

const row = (cells: ReadonlyArray<Tokens.TableCell>, Tag: "th" | "td") => (
  <tr>
    {cells.map(({ tokens }) => (
      <Tag>{inline(tokens)}</Tag>
    ))}
  </tr>
)

const Heading = ({ children, depth }: { readonly depth: number; readonly children: ComponentChildren }) => (
  <div class={`heading heading-${Math.min(4, depth)}`} role="heading" aria-level={Math.min(6, depth + 2)}>
    {children}
  </div>
)

const blocks = (tokens: ReadonlyArray<Token>): ComponentChildren =>
  tokens.map((token) => {
    switch (token.type) {
      case "space":
        return null
      case "heading": {
        const { depth, tokens } = token as Tokens.Heading
        return <Heading depth={depth}>{inline(tokens)}</Heading>
      }
      case "code": {
        const { lang = "", text } = token as Tokens.Code
        return <Block text={text} language={lang} />
      }
      case "blockquote":
        return <blockquote>{blocks((token as Tokens.Blockquote).tokens)}</blockquote>
      case "list": {
        const { items, ordered, start } = token as Tokens.List
        const inside = items.map(({ tokens }) => <li>{blocks(tokens)}</li>)
        return ordered ? <ol start={start === "" ? 1 : start}>{inside}</ol> : <ul>{inside}</ul>
      }
      case "table": {
        const { header, rows } = token as Tokens.Table
        return (
          <div class="table" tabIndex={0} role="group" aria-label="Table">
            <table>
              <thead>{row(header, "th")}</thead>
              <tbody>{rows.map((cells) => row(cells, "td"))}</tbody>
            </table>
          </div>
        )
      }
      case "hr":
        return <hr />
      case "html":
        return <p>{makeVisible(token.raw)}</p>
      case "paragraph":
        return <p>{inline((token as Tokens.Paragraph).tokens)}</p>
      default: {
        const { tokens } = token as Tokens.Generic
        return tokens === undefined ? makeVisible(token.raw) : inline(tokens)
      }
    }
  })

const Block = ({ language, text }: { readonly text: string; readonly language: string }) =>
  language === "diff" || language === "patch" ? (
    <DiffView text={text} path="" />
  ) : (
    <Code text={text} language={language} />
  )

const isCrowded = (text: string): boolean => (text.match(/[*_~`[\]]/g)?.length ?? 0) > maxMarks

const rendered = ({ kind, language = "", text }: Block): ComponentChildren => {
  if (kind === "code") return <Block text={text} language={language} />
  if (kind === "plain" || isCrowded(text)) return <p class="plain">{makeVisible(text)}</p>
  return blocks(new Lexer({ gfm: true }).lex(text))
}

/** An answer of a model: Markdown in which nothing runs, loads or passes for something else; what was rendered stays while more comes. */
export class Markdown extends Component<{ readonly text: string; readonly open: boolean }> {
  private blocks = new Blocks()
  private read = ""
  private done: Array<VNode> = []

  private push(text: string): void {
    for (const block of this.blocks.push(text)) this.keep(block)
  }

  private keep(block: Block): void {
    this.done.push(<div key={this.done.length}>{rendered(block)}</div>)
  }

  override shouldComponentUpdate(next: { readonly text: string; readonly open: boolean }): boolean {
    return next.text !== this.props.text || next.open !== this.props.open
  }

  override render({ open, text }: { readonly text: string; readonly open: boolean }) {
    if (!text.startsWith(this.read)) {
      this.blocks = new Blocks()
      this.done = []
      this.read = ""
    }
    this.push(text.slice(this.read.length))
    this.read = text
    const { code, text: rest } = this.blocks.rest
    return (
      <div class={open ? "markdown open" : "markdown"}>
        {this.done}
        {rest === "" ? null : (
          <div key={this.done.length}>
            {code ? <Code text={rest} language="" /> : rendered({ kind: "markdown", text: rest, continues: false })}
          </div>
        )}
      </div>
    )
  }
}
