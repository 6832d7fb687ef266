import { mark } from "./Mark.ts"

const dashes = "-----"
/** Words of a heading or footing. */
const maxWords = 6
/** Characters; longer than the largest key in use, so a heading in prose does not hide the rest of a text. */
export const maxBody = 16 * 1024
const maxProse = 4

/** Follows a PEM private key, piece by piece, from its heading to the end of its footing. */
export class PrivateKey {
  private words: ReadonlyArray<string> = []
  private size = 0
  private prose = 0
  private ending = false

  /** Where in the piece the body begins, if this piece ends the heading of a private key. */
  heading(piece: string): number | undefined {
    if (piece.includes(`${dashes}BEGIN`)) {
      this.words = ["BEGIN"]
      return undefined
    }
    if (this.words.length === 0) return undefined
    const end = piece.indexOf(dashes)
    const words = [...this.words, end === -1 ? piece : piece.slice(0, end)]
    this.words = end === -1 && words.length <= maxWords ? words : []
    if (end === -1 || !words.includes("PRIVATE")) return undefined
    this.size = 0
    this.prose = 0
    this.ending = false
    return end + dashes.length
  }

  /** A heading and a footing do not go beyond their line. */
  newline(): boolean {
    this.words = []
    return this.ending
  }

  /** Where in the piece the text after the key begins, if the key ends in it. */
  body(piece: string): number | undefined {
    if (this.size === 0 && piece.startsWith(mark("private-key"))) return 0
    this.size += piece.length
    this.prose = /^[a-z]{1,12}[,.;:]?$/.test(piece) ? this.prose + 1 : 0
    if (this.size > maxBody || this.prose >= maxProse) return piece.length
    const footing = this.ending ? 0 : piece.indexOf(`${dashes}END`)
    if (footing === -1) return undefined
    const end = piece.indexOf(dashes, this.ending ? 0 : footing + dashes.length)
    this.ending = true
    return end === -1 ? undefined : end + dashes.length
  }
}
