import * as fs from "node:fs"
import * as path from "node:path"

/** Words with their directions, the most frequent first; `scripts/search/words.mjs` makes the file. */
export interface WordTable {
  readonly dimensions: number
  /** The place of a word. */
  readonly find: (word: string) => number | undefined
  /** Adds the direction of the word at that place, as a unit vector times `weight`. */
  readonly add: (to: Float32Array, place: number, weight: number) => void
}

/** Where the file lies beside this module, and where it does in the package: beside the bundle, and above the library's modules. */
const places = ["words.bin", "../words.bin", "../../words.bin"]

/** The file of the package. */
export const bundled = (): string => {
  const candidates = places.map((place) => path.join(import.meta.dirname, place))
  return candidates.find((file) => fs.existsSync(file)) ?? path.join(import.meta.dirname, "words.bin")
}

/** Reads a table; throws what the system says. */
export const read = (file: string): WordTable => {
  const content = fs.readFileSync(file)
  const head = 4 + content.readUInt32LE(0)
  const { dimensions, wordBytes }: { dimensions: number; wordBytes: number } = JSON.parse(
    content.toString("utf8", 4, head)
  )
  const words = content.toString("utf8", head, head + wordBytes).split("\n")
  const values = new Int8Array(content.buffer, content.byteOffset + head + wordBytes, words.length * dimensions)
  const found = new Map(words.map((word, place) => [word, place]))
  return {
    dimensions,
    find: (word) => found.get(word),
    add: (to, place, weight) => {
      const start = place * dimensions
      let squares = 0
      for (let at = 0; at < dimensions; at++) squares += values[start + at]! ** 2
      const scale = weight / Math.sqrt(squares)
      for (let at = 0; at < dimensions; at++) to[at]! += values[start + at]! * scale
    }
  }
}
