/** Cuts a stream of text into lines of at most `max` characters. */
export class LineReader {
  private held: Array<string> = []
  private length = 0
  private readonly max: number

  constructor(max: number) {
    this.max = max
  }

  /** The lines that end in the text; undefined once one is too long. */
  push(text: string): ReadonlyArray<string> | undefined {
    const pieces = text.split("\n")
    const last = pieces.pop() ?? ""
    const lines: Array<string> = []
    for (const piece of pieces) {
      if (this.length + piece.length > this.max) return undefined
      lines.push(this.held.length === 0 ? piece : this.held.join("") + piece)
      this.held = []
      this.length = 0
    }
    this.length += last.length
    if (this.length > this.max) return undefined
    if (last !== "") this.held.push(last)
    return lines
  }
}
