import { Blocks, type Block } from "../../../text/MarkdownBlocks.ts"
import { render } from "../markdown/render.ts"
import type { Style } from "../Style.ts"
import { textWidth } from "./noteRows.ts"

/** Characters of what is not complete that are shown, and so many of more. */
const draftLimit = 2048
const tailLimit = 1024

/** What is shown of a text that is being written, from the beginning of a line on; as it is where it may begin amid code. */
const tail = (text: string): Pick<Block, "kind" | "text"> => {
  if (text.length <= draftLimit) return { kind: "markdown", text }
  const begin = text.indexOf("\n", text.length - tailLimit) + 1
  return begin === 0 || /```|~~~/.test(text)
    ? { kind: "plain", text: text.slice(-tailLimit) }
    : { kind: "markdown", text: text.slice(begin).trimStart() }
}

/** An answer that is being written: its blocks are printed as they are complete, the last one is seen until it is. */
export class Answer {
  private readonly style: Style
  private readonly width: () => number
  private readonly blocks = new Blocks()
  private begun = false
  private draft: { readonly text: string; readonly width: number; readonly rows: ReadonlyArray<string> } | undefined

  constructor({ style, width }: { readonly style: Style; readonly width: () => number }) {
    this.style = style
    this.width = () => Math.min(textWidth, Math.max(20, width() - 1))
  }

  /** What of it is complete by now. */
  push(text: string): string {
    return this.blocks
      .push(text)
      .map((block) => this.printed(block))
      .join("")
  }

  end(): string {
    return this.blocks
      .end()
      .map((block) => this.printed(block))
      .join("")
  }

  /** The last rows of what is not. */
  live(limit: number): ReadonlyArray<string> {
    const { code, text } = this.blocks.rest
    if (text.trim() === "") return []
    const width = this.width()
    if (this.draft?.text !== text || this.draft.width !== width) {
      const shown = code ? ({ kind: "code", text: text.slice(-tailLimit) } as const) : tail(text)
      this.draft = { text, width, rows: render({ ...shown, continues: false }, { style: this.style, width }) }
    }
    return [...(this.begun ? [""] : []), ...this.draft.rows].slice(-limit)
  }

  private printed(block: Block): string {
    const rows = render(block, { style: this.style, width: this.width() })
    if (rows.every((row) => row === "")) return ""
    const apart = this.begun && !block.continues
    this.begun = true
    return `${apart ? "\n" : ""}${rows.join("\n")}\n`
  }
}
