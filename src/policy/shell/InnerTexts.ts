const maximumDepth = 3
/** Characters of all of them. */
const maximumCharacters = 16_384

/** The texts within a shell text, each read once at a depth, to few levels and as far as there are not too many. */
export class InnerTexts {
  #depth = 0
  #characters = 0
  /** The roles of each, by its depth. */
  readonly #known = new Map<string, number>()

  get exhausted(): boolean {
    return this.#characters > maximumCharacters
  }

  /** The roles of everything in the texts, as far as they are read. */
  read(texts: ReadonlyArray<string>, rolesOf: (text: string) => number, isOver: () => boolean): number {
    if (this.#depth >= maximumDepth) return 0
    let mask = 0
    this.#depth++
    for (const text of texts) {
      const key = `${this.#depth} ${text}`
      const known = this.#known.get(key)
      if (known === undefined) this.#characters += text.length
      if (isOver()) break
      this.#known.set(key, 0)
      const found = known ?? rolesOf(text)
      this.#known.set(key, found)
      mask |= found
    }
    this.#depth--
    return mask
  }
}
