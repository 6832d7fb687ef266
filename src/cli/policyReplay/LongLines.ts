/** Characters of a line that is read. */
const limit = 16 * 1024 * 1024

/** Cuts a text that comes in pieces into lines; one that is too long is `undefined`, and the next one is read again. */
export class LongLines {
  private parts: Array<string> = []
  private size = 0

  push(text: string): ReadonlyArray<string | undefined> {
    const pieces = text.split("\n")
    return pieces.flatMap((piece, index) => {
      this.size += piece.length
      if (this.size <= limit) this.parts.push(piece)
      else this.parts = []
      return index < pieces.length - 1 ? [this.take()] : []
    })
  }

  /** The last line, which nothing ends. */
  end(): ReadonlyArray<string | undefined> {
    return this.size === 0 ? [] : [this.take()]
  }

  private take(): string | undefined {
    const line = this.size <= limit ? this.parts.join("") : undefined
    this.parts = []
    this.size = 0
    return line
  }
}
