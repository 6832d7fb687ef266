import type { ExactValues } from "./ExactValues.ts"
import { Scanner } from "./Scanner.ts"
import { isQuiet } from "./Wording.ts"

/** Characters of a text that is looked at as a whole first, as most fields of an event are. */
const short = 256

/** What the scanner would say as it is. */
const isHarmless = (text: string): boolean => text.length <= short && isQuiet(text)

/** Removes secrets from whole texts: the given values, and what looks like one. */
export const redactedText =
  (exact: ExactValues) =>
  (whole: string): string => {
    const known = exact.isEmpty ? whole : exact.replace(whole, true).out
    return isHarmless(known) ? known : new Scanner().whole(known)
  }
