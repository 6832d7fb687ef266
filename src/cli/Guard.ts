import * as Args from "@effect/cli/Args"
import * as HelpDoc from "@effect/cli/HelpDoc"
import * as Effect from "effect/Effect"

/** Marks a word as an argument, even if it looks like an option. */
const literal = "\u0000"

/** The word as the parser must take it: for an argument, not for an option or the value of one. */
export const literally = (word: string): string => literal + word

/** An argument; what looks like an option is none of the command's, where the parser would take it for a value. */
export const argument = (name: string, about: string): Args.Args<string> =>
  Args.text({ name }).pipe(
    Args.withDescription(about),
    Args.mapEffect((word) =>
      word.startsWith(literal)
        ? Effect.succeed(word.slice(literal.length))
        : word.startsWith("-") && word !== "-"
          ? Effect.fail(HelpDoc.p(`unknown option ${word}`))
          : Effect.succeed(word)
    )
  )

/** Steps from one word to the other by inserting, leaving out and replacing letters, and by exchanging two neighbours. */
const distance = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const exchanged = isExchanged ? (before[j - 2] ?? 0) + 1 : Infinity
      next.push(Math.min(replaced, exchanged, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

/** The known word that was probably meant: the nearest, and of several that are as near the one whose length is nearest. */
export const similar = (word: string, known: ReadonlyArray<string>): string | undefined => {
  const apart = (other: string) => Math.abs(other.length - word.length)
  const [best] = known
    .map((other) => ({ other, steps: other.startsWith(word) ? 1 : distance(word, other) }))
    .sort((a, b) => a.steps - b.steps || apart(a.other) - apart(b.other))
  return best !== undefined && best.steps <= Math.max(1, Math.floor(word.length / 3)) ? best.other : undefined
}
