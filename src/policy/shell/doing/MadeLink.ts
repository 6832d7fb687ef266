import { normalise } from "../LexicalPath.ts"
import type { Touched } from "./Touched.ts"
import { unknownPart } from "./Step.ts"
import type { WordPaths } from "./WordPaths.ts"

/** A link that a text makes: what it says, and where it lies. */
export interface MadeLink {
  readonly from: string
  readonly fromThere: boolean
  readonly place: string
  readonly value: string
}

/** What a command links to, and where the link may come to lie. */
export const madeOf = ({ from: directories, linked, word }: Touched, words: WordPaths): ReadonlyArray<MadeLink> => {
  if (linked === undefined || word.value.includes(unknownPart) || linked.at.value.includes(unknownPart)) return []
  return directories.flatMap((from) =>
    words
      .named(word, from, () => undefined)
      .flatMap((target) => {
        const isWritten = word.tilde || word.value.startsWith("/")
        const value = isWritten ? target : target.slice(from.length + 1)
        return words.places(linked.at, from, value).map((place) => ({
          from,
          fromThere: linked.fromThere,
          place,
          value
        }))
      })
  )
}

/** The links that commands make, where they lie and where they are moved to. */
export const madeBy = (touched: ReadonlyArray<Touched>, words: WordPaths): ReadonlyArray<MadeLink> => {
  const links = touched.filter(({ op }) => op === "link").flatMap((one) => madeOf(one, words))
  const moved = touched.flatMap((one): ReadonlyArray<MadeLink> => {
    const sources = one.op === "write" ? (one.named ?? []) : []
    return links.flatMap((link) =>
      sources.some((source) =>
        one.from.some((from) => normalise(words.absolute(source, from)) === normalise(link.place))
      )
        ? one.from.flatMap((from) => words.places(one.word, from, link.value).map((place) => ({ ...link, place })))
        : []
    )
  })
  return [...links, ...moved]
}
