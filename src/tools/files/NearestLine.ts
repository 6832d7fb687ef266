/** What is compared at most; longer texts get a hint from their beginning. */
const maxLines = 20_000
const maxColumns = 200
const worthShowing = 0.5

const pairs = (text: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (let index = 0; index < text.length - 1; index++) {
    const pair = text.slice(index, index + 2)
    found.set(pair, (found.get(pair) ?? 0) + 1)
  }
  return found
}

/** The share of neighbouring letters that two texts have in common (Dice), from 0 to 1. */
const similarity = (self: ReadonlyMap<string, number>, length: number, that: string): number => {
  if (length + that.length < 4) return 0
  let common = 0
  for (const [pair, count] of pairs(that)) common += Math.min(count, self.get(pair) ?? 0)
  return (2 * common) / (length + that.length - 2)
}

/** The line of a text, from 1, that is most like the first line of a part that was not found in it. */
export const nearestLine = (
  content: string,
  part: string
): { readonly line: number; readonly text: string } | undefined => {
  const wanted = part
    .split("\n")
    .map((line) => line.trim().slice(0, maxColumns))
    .find((line) => line !== "")
  if (wanted === undefined) return undefined
  const profile = pairs(wanted)
  let best: { readonly line: number; readonly text: string } | undefined
  let bestScore = worthShowing
  for (const [index, raw] of content.split("\n", maxLines).entries()) {
    const line = raw.replace(/\r$/, "").slice(0, maxColumns)
    const trimmed = line.trim()
    const score = trimmed === wanted ? 1 : Math.min(0.99, similarity(profile, wanted.length, trimmed))
    if (score > bestScore) {
      best = { line: index + 1, text: line }
      bestScore = score
    }
    if (score === 1) break
  }
  return best
}
