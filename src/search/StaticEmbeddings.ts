import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { unspaced } from "../database/unspaced.ts"
import * as Pace from "../system/Pace.ts"
import { systemReason } from "../system/errno.ts"
import { EmbeddingFailed, Embeddings } from "./Embeddings.ts"
import { common } from "./Query.ts"
import * as WordTable from "./WordTable.ts"

/** Names the table and what is done with it: vectors of another make are never compared. */
const model = "static-1"

/** Words of one text that count. */
const maxWords = 400
/** Letters of one word that count. */
const maxLetters = 40

/** Smooth inverse frequency (Arora, Liang and Ma, 2017), with Zipf's law for how frequent the word at a place is. */
const smoothing = 3e-4
const weightOf = (place: number): number => smoothing / (smoothing + 0.1 / (place + 1))

let term: RegExp | undefined

interface Term {
  readonly text: string
  /** Of a script without spaces. */
  readonly isRun: boolean
}

/** Words and runs, in small letters and without accents; those inside of identifiers as well. */
const termsOf = (text: string): ReadonlyArray<Term> => {
  term ??= new RegExp(`([${unspaced}]+)|(?:(?![${unspaced}])[\\p{L}\\p{N}])+`, "gu")
  const apart = text.normalize("NFC").replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ")
  const found = [...apart.matchAll(term)].slice(0, maxWords).map(([all, run]) => {
    const isRun = run !== undefined
    return { text: isRun ? all.slice(0, 2 * maxLetters) : all.toLowerCase().slice(0, maxLetters), isRun }
  })
  const telling = found.filter(({ text }) => !common.has(text))
  return telling.length === 0 ? found : telling
}

const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return value
}

/** Adds a direction of its own for each stretch of characters, so that words with many in common are similar. */
const addStretches = (to: Float32Array, text: string, lengths: ReadonlyArray<number>, weight: number): void => {
  const characters = Array.from(text)
  const sum = new Float32Array(to.length)
  for (const length of lengths) {
    for (let from = 0; from + length <= characters.length; from++) {
      let seed = hash(characters.slice(from, from + length).join("")) | 1
      for (let at = 0; at < to.length; at++) {
        seed ^= seed << 13
        seed ^= seed >>> 17
        seed ^= seed << 5
        sum[at]! += seed > 0 ? 1 : -1
      }
    }
  }
  const size = Math.sqrt(sum.reduce((squares, value) => squares + value * value, 0))
  if (size > 0) for (let at = 0; at < to.length; at++) to[at]! += (sum[at]! * weight) / size
}

const withoutAccents = (word: string): string => word.normalize("NFD").replaceAll(/\p{M}/gu, "")

const embed = (table: WordTable.WordTable, text: string): Float32Array => {
  const vector = new Float32Array(table.dimensions)
  for (const { isRun, text: term } of termsOf(text)) {
    const place = isRun ? undefined : table.find(term)
    if (isRun) addStretches(vector, term, [1, 2, 3], Math.sqrt(term.length))
    else if (place !== undefined) table.add(vector, place, weightOf(place))
    else addStretches(vector, `<${withoutAccents(term)}>`, [3, 4, 5], 1)
  }
  return vector
}

export interface StaticOptions {
  /** Where the table of words is, for a program that is bundled without it. */
  readonly table?: string
}

/**
 * Meaning by a table of 20,000 English words that is part of the package, read on first use; words that it does not have, and those
 * of other languages, are similar where they have stretches of characters in common. Nothing leaves the machine.
 */
export const layer = ({ table: file }: StaticOptions = {}): Layer.Layer<Embeddings> =>
  Layer.sync(Embeddings, () => {
    let table: WordTable.WordTable | undefined
    const words = Effect.try({
      try: () => (table ??= WordTable.read(file ?? WordTable.bundled())),
      catch: (error) =>
        new EmbeddingFailed({
          model,
          reason: `its table cannot be read (${systemReason(error)}). Install Tollgate again.`
        })
    })
    return {
      model,
      batch: 32,
      similar: 0.35,
      // A batch of words that the table does not have takes a quarter of a second.
      embed: (texts) =>
        Effect.flatMap(words, (table) => {
          const pace = Pace.make()
          return Effect.forEach(texts, (text) =>
            Effect.zipLeft(
              Effect.sync(() => embed(table, text)),
              pace
            )
          )
        })
    }
  })
