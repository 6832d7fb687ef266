/** How much the first ranks outweigh the later ones, as in the paper (Cormack, Clarke and Büttcher, 2009). */
const k = 60

export interface Ranked {
  readonly id: number
  /** 1 where all rankings have it first. */
  readonly score: number
  /** Which rankings have it, by their place in the list. */
  readonly from: ReadonlyArray<number>
}

/** Fuses rankings by the sum of their reciprocal ranks, the best first; equal ones by id, the latest first. */
export const fuse = (rankings: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<Ranked> => {
  const fused = new Map<number, { sum: number; from: Array<number> }>()
  rankings.forEach((ids, ranking) =>
    ids.forEach((id, at) => {
      const known = fused.get(id) ?? { sum: 0, from: [] }
      known.sum += 1 / (k + at + 1)
      known.from.push(ranking)
      fused.set(id, known)
    })
  )
  const best = rankings.length / (k + 1)
  return [...fused]
    .map(([id, { from, sum }]) => ({ id, score: sum / best, from }))
    .sort((one, other) => other.score - one.score || other.id - one.id)
}
