/** How much the first ranks outweigh the later ones, as in the paper (Cormack, Clarke and Büttcher, 2009). */
const k = 60

interface Ranked {
  readonly id: number
  /** 1 where all rankings have it first. */
  readonly score: number
}

/** Fuses rankings by the sum of their reciprocal ranks, the best first; equal ones by id, the latest first. */
export const fuse = (rankings: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<Ranked> => {
  const sums = new Map<number, number>()
  for (const ids of rankings) {
    ids.forEach((id, at) => sums.set(id, (sums.get(id) ?? 0) + 1 / (k + at + 1)))
  }
  const best = rankings.length / (k + 1)
  return [...sums]
    .map(([id, sum]) => ({ id, score: sum / best }))
    .sort((one, other) => other.score - one.score || other.id - one.id)
}
