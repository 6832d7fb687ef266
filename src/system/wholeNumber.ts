export interface Bounds {
  /** Default: 1. */
  readonly least?: number
  /** Whether there may be no bound at all. Default: false. */
  readonly orInfinite?: boolean
}

/** Throws for a number that would lift a limit or wait for ever without a word: a bug of who gives it. */
export const wholeNumber = (name: string, value: number, { least = 1, orInfinite = false }: Bounds = {}): number => {
  if ((Number.isSafeInteger(value) && value >= least) || (orInfinite && value === Infinity)) return value
  throw new RangeError(`${name} must be a whole number of at least ${least}, not ${value}.`)
}

/** The same for a number that may have decimal places. */
export const finiteNumber = (name: string, value: number, least = 0): number => {
  if (Number.isFinite(value) && value >= least) return value
  throw new RangeError(`${name} must be a number of at least ${least}, not ${value}.`)
}
