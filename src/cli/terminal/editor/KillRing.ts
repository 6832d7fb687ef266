/** Texts that were taken out, which can be put back. */
const limit = 16

/** What was cut by keys: pieces cut one after the other are one text. */
export class KillRing {
  private texts: Array<string> = []
  private joins = false

  /** Any other key stands between. */
  rest(): void {
    this.joins = false
  }

  /** Keeps what was cut in front of the cursor, or behind it. */
  push(text: string, where: "front" | "behind"): void {
    if (text === "") return
    const last = this.joins ? (this.texts.pop() ?? "") : ""
    this.texts.push(where === "front" ? text + last : last + text)
    if (this.texts.length > limit) this.texts.shift()
    this.joins = true
  }

  get latest(): string {
    return this.texts.at(-1) ?? ""
  }

  /** Makes the one before it the latest. */
  rotate(): void {
    const last = this.texts.pop()
    if (last !== undefined) this.texts.unshift(last)
  }

  get all(): ReadonlyArray<string> {
    return this.texts
  }
}
