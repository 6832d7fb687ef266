/** A line, without its end; of one that is longer than is taken only the beginning is left. */
export interface Line {
  readonly text: string
  readonly isCut: boolean
}

/** Characters that are left of a line that is too long. */
const beginning = 4096

/** Cuts a text that comes in pieces into lines of at most `max` characters. A longer one is given as soon as that shows, once. */
export class LineReader {
  private held: Array<string> = []
  private length = 0
  private readonly max: number

  constructor(max: number) {
    this.max = max
  }

  push(text: string): ReadonlyArray<Line> {
    const [first = "", ...others] = text.split("\n")
    return [...this.hold(first), ...others.flatMap((piece) => [...this.take(), ...this.hold(piece)])]
  }

  /** The last line, which nothing ends. */
  end(): ReadonlyArray<Line> {
    return this.length === 0 ? [] : this.take()
  }

  private take(): ReadonlyArray<Line> {
    const line = { text: this.held.join(""), isCut: false }
    const isWhole = this.length <= this.max
    this.held = []
    this.length = 0
    return isWhole ? [line] : []
  }

  private hold(piece: string): ReadonlyArray<Line> {
    if (this.length > this.max) return []
    this.length += piece.length
    this.held.push(piece)
    if (this.length <= this.max) return []
    const text = this.held.join("").slice(0, beginning)
    this.held = []
    return [{ text, isCut: true }]
  }
}
