import { go } from "fuzzysort"
import type { Item } from "./Form.ts"

/** The items whose rows have what is typed, letter by letter, the best first; `words` are looked through in place of the rows. */
export const fuzzy = <A, I extends Item<A>>(items: ReadonlyArray<I>, words: (item: I) => string = ({ row }) => row) => {
  const searched = items.map((item) => ({ item, words: words(item) }))
  return (typed: string): ReadonlyArray<I> =>
    go(typed, searched, { key: "words", threshold: 0 }).map(({ obj }) => obj.item)
}
