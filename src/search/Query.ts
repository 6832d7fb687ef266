import { unspaced } from "../database/unspaced.ts"

/** What a text is searched by; nothing of it is query syntax. */
export interface Query {
  /** Words of scripts with spaces, each once. */
  readonly words: ReadonlyArray<string>
  /** Stretches of other scripts, each once. */
  readonly runs: ReadonlyArray<string>
}

const maxText = 10_000
/** Words, runs and trigrams of one query. */
const maxTerms = 64

/** Compiled with the first search. */
let term: RegExp | undefined

/** The first words and runs of any text. */
export const parse = (text: string): Query => {
  term ??= new RegExp(`([${unspaced}]+)|(?:(?![${unspaced}])[\\p{L}\\p{N}\\p{Co}\\p{M}])+`, "gu")
  const found = [...text.slice(0, maxText).toWellFormed().normalize("NFC").matchAll(term)]
  const unique = [...new Map(found.map(([all, run]) => [all.toLowerCase(), run !== undefined] as const))]
  const some = unique.slice(0, maxTerms)
  return {
    words: some.flatMap(([one, isRun]) => (isRun ? [] : [one])),
    runs: some.flatMap(([one, isRun]) => (isRun ? [one] : []))
  }
}

export const isBlank = ({ runs, words }: Query): boolean => runs.length === 0 && words.length === 0

const characters = (text: string): ReadonlyArray<string> => Array.from(text)

/** A term in quotes is plain text for FTS5; it contains no quotes. */
const phrase = (text: string): string => `"${text}"`
const all = (texts: ReadonlyArray<string>): string => texts.map(phrase).join(" AND ")
const any = (texts: ReadonlyArray<string>): string => texts.map(phrase).join(" OR ")

/** Too common to find anything by where a query has other words. */
export const common: ReadonlySet<string> = new Set(
  (
    "a about an and are as at be been but by can did do does for from had has have how i if in is it its me my of on or our " +
    "she so that the their them then there they this to us was we were what when where which who why will with would you " +
    "aber als am an auch auf aus bei bin bis da das dass dem den der des die doch ein eine einem einen einer er es für hat " +
    "haben ich ihr im in ist ja kann man mein mir mit nach nicht noch nur oder sein sich sie sind so über um und uns von vor " +
    "war warum was wenn werden wie wir wird wo zu zum zur"
  ).split(" ")
)

/** Where terms are looked up: as stemmed words, or as three characters anywhere in texts of other scripts. */
export type Index = "messages_words" | "messages_trigrams"

/** One look into an index; `also` must stand in the text besides, as it is shorter than what the index has. */
export interface Lookup {
  readonly index: Index
  /** In the syntax of FTS5; unset where only `also` counts. */
  readonly match: string | undefined
  readonly also: ReadonlyArray<string>
}

const trigrams = (run: string): ReadonlyArray<string> => {
  const each = characters(run)
  return each.slice(2).map((last, at) => `${each[at]}${each[at + 1]}${last}`)
}

const byTrigrams = (terms: ReadonlyArray<string>): Lookup => {
  const long = terms.filter((term) => characters(term).length > 2)
  return {
    index: "messages_trigrams",
    match: long.length === 0 ? undefined : all(long),
    also: terms.filter((term) => !long.includes(term))
  }
}

const byWords = (match: string): Lookup => ({ index: "messages_words", match, also: [] })

/** The looks that a query takes, from the strictest to the widest: all terms, any of them, words that begin so. */
export const lookups = ({ runs, words }: Query): ReadonlyArray<Lookup> => {
  const telling = words.filter((word) => !common.has(word))
  const wanted = telling.length === 0 ? words : telling
  const pieces = [...new Set(runs.flatMap(trigrams))].slice(0, maxTerms)
  const long = wanted.filter((word) => characters(word).length > 2)
  const beginnings = wanted.filter((word) => characters(word).length > 3).map((word) => `${phrase(word)}*`)
  return [
    ...(runs.length === 0 && wanted.length > 0 ? [byWords(all(wanted))] : []),
    ...(runs.length > 0 || long.length === wanted.length ? [byTrigrams([...runs, ...wanted])] : []),
    ...(pieces.length > 1 ? [{ index: "messages_trigrams" as const, match: any(pieces), also: [] }] : []),
    ...(wanted.length > 1 || (runs.length > 0 && wanted.length > 0) ? [byWords(any(wanted))] : []),
    ...(beginnings.length > 0 ? [byWords(beginnings.join(" OR "))] : [])
  ]
}
