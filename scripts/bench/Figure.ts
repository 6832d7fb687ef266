/** One measured figure beside the reference of the same run. */
export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
  /** The reference's value in the same unit. */
  readonly reference: number
  readonly ratio: number
  /** What is to be beaten, in words. */
  readonly goal: string
  /** What the reference is. */
  readonly against: string
}

const shown = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString("en") : value >= 10 ? value.toFixed(1) : value.toFixed(2)

export const figure = (
  name: string,
  value: number,
  unit: string,
  reference: number,
  against: string,
  goal: string
): Figure => ({ name, value, unit, reference, ratio: value / reference, goal, against })

/** A table for people. */
export const table = (figures: ReadonlyArray<Figure>): string => {
  const rows = figures.map(({ against, goal, name, ratio, reference, unit, value }) => [
    name,
    `${shown(value)} ${unit}`,
    `${shown(reference)} ${unit}`,
    `${shown(ratio)}×`,
    against,
    goal
  ])
  const all = [["figure", "value", "reference", "ratio", "the reference is", "goal"], ...rows]
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? []
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}
