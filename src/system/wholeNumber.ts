import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

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

/** The same for a time, which may be infinite; a number that is none would be read as no time at all. */
export const timeSpan = (name: string, given: Duration.DurationInput): Duration.Duration => {
  if (typeof given === "number" && given !== Infinity) finiteNumber(name, given)
  return Option.getOrThrowWith(
    Duration.decodeUnknown(given),
    () => new RangeError(`${name} must be milliseconds or e.g. "10 seconds", not ${String(given)}.`)
  )
}
