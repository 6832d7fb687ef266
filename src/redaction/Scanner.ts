import type { Holds } from "./Finding.ts"
import { lex } from "./Lexer.ts"
import { Reader } from "./Reader.ts"
import { quietUntil } from "./Wording.ts"

/** How many encodings inside each other are looked into. */
const maxDepth = 2

const holdsBelow =
  (depth: number): Holds =>
  (text) =>
    new Scanner(depth + 1).whole(text) !== text

/** Reads a text for the person who approves it. */
export const approvalReader = (): Reader => new Reader(holdsBelow(0), false)

/**
 * Replaces secrets in a text that comes in chunks. Chunks change nothing: what it has said when it is flushed is what it
 * would have said of the whole. It holds back one piece, at most `windowSize` characters.
 */
export class Scanner {
  private buffer = ""
  private readonly reader: Reader
  private readonly show: (text: string, shown: string) => string

  /** `show` tells what becomes of a piece from what is shown of it. */
  constructor(depth = 0, show = (_: string, shown: string) => shown) {
    this.show = show
    this.reader = new Reader(depth < maxDepth ? holdsBelow(depth) : undefined)
  }

  whole(text: string): string {
    return this.push(text) + this.flush()
  }

  push(chunk: string): string {
    this.buffer += chunk
    return this.drain(false)
  }

  /** What was held back; the scanner is as new after it. */
  flush(): string {
    const out = this.drain(true)
    this.reader.reset()
    return out
  }

  private drain(final: boolean): string {
    let out = ""
    let start = 0
    for (
      let next = lex(this.buffer, 0, final);
      next && start < this.buffer.length;
      next = lex(this.buffer, start, final)
    ) {
      if (this.reader.isFresh) {
        const quiet = quietUntil(this.buffer, start)
        if (quiet > start) {
          out += this.buffer.slice(start, quiet)
          start = quiet
          continue
        }
      }
      const text = this.buffer.slice(start, next.end)
      const { length, shown } = this.reader.read(next.kind, text)
      out += this.show(text.slice(0, length), shown)
      start += length
    }
    this.buffer = this.buffer.slice(start)
    return out
  }
}
