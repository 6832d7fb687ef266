import { many } from "../../../ui/Words.ts"

/** A paste of more lines or characters is folded. */
export const shownLines = 10
const shownCharacters = 10_000

/** Characters of all folded pastes; what comes after them is left out, and the text says so. */
const limit = 16 * 1024 * 1024

/** Half of a pair, which no terminal can send alone and which no neighbour joins: it stands for a folded paste. */
const first = 0xd800
const count = 0x400
const mark = /[\ud800-\udbff](?![\udc00-\udfff])/g

/** A line break at the end begins no further line. */
const linesOf = (text: string): number => {
  let lines = text.endsWith("\n") ? 0 : 1
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++
  return lines
}

/** What is pasted without what no key types. */
const cleaned = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")

/** Long pastes, each of them one character of the text that is typed. */
export class FoldedPastes {
  private readonly contents = new Map<string, string>()
  private size = 0
  private next = 0

  /** What stands in the text for what was pasted. */
  fold(pasted: string): string {
    const text = cleaned(pasted)
    if (text.length <= shownCharacters && linesOf(text) <= shownLines) return text
    if (this.size + text.length > limit || this.contents.size === count) {
      return `[a paste of ${many(text.length, "character")} was left out: too much is pasted already]`
    }
    let sign: string
    do sign = String.fromCharCode(first + (this.next++ % count))
    while (this.contents.has(sign))
    this.contents.set(sign, text)
    this.size += text.length
    return sign
  }

  /** What a person sees in its place; nothing where the text is no folded paste. */
  label(sign: string): string | undefined {
    const text = this.contents.get(sign)
    if (text === undefined) return undefined
    const lines = linesOf(text)
    return lines > shownLines ? `[Pasted ${many(lines, "line")}]` : `[Pasted ${many(text.length, "character")}]`
  }

  /** The text as it is sent. */
  expand(text: string): string {
    return this.contents.size === 0 ? text : text.replace(mark, (sign) => this.contents.get(sign) ?? sign)
  }

  /** Forgets what stands in none of these texts. */
  keep(texts: ReadonlyArray<string>): void {
    if (this.contents.size === 0) return
    const used = new Set(texts.flatMap((text) => text.match(mark) ?? []))
    for (const [sign, text] of this.contents) {
      if (used.has(sign)) continue
      this.contents.delete(sign)
      this.size -= text.length
    }
  }
}
