/** What has been printed from a position on. */
export interface Printed {
  readonly text: string
  /** Characters before it that are no longer kept. */
  readonly dropped: number
  /** Where to read on. */
  readonly next: number
}

/** The end of a text that grows: at most `limit` characters, and for a moment twice as many. */
export class TextRing {
  private text = ""
  /** Characters that were dropped from its beginning. */
  private dropped = 0
  private readonly limit: number

  constructor(limit: number) {
    this.limit = limit
  }

  append(more: string): void {
    this.text += more
    if (this.text.length > 2 * this.limit) this.drop()
  }

  /** What is kept of it from a position on. */
  from(position: number): Printed {
    if (this.text.length > this.limit) this.drop()
    const start = Math.max(position, this.dropped)
    return {
      text: this.text.slice(start - this.dropped),
      dropped: start - position,
      next: this.dropped + this.text.length
    }
  }

  private drop(): void {
    let excess = this.text.length - this.limit
    // No half of a surrogate pair begins it.
    const code = this.text.charCodeAt(excess)
    if (code >= 0xdc00 && code <= 0xdfff) excess += 1
    this.text = this.text.slice(excess)
    this.dropped += excess
  }
}
