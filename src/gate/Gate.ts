/** Calls wait for a decision where their tool, a rule or a mode wants one. */
export interface Guarded {
  readonly _tag: "Guarded"
}

/** Calls run without a decision; the toolset, its steps and its events say why. */
export interface Unguarded {
  readonly _tag: "Unguarded"
  /** For people, e.g. `unit test`; sealing refuses an empty one. */
  readonly reason: string
}

/** Whether the calls of a toolset need a decision. Validation, journal and "at most one run" are always there. */
export type Gate = Guarded | Unguarded

/** The gate of every toolset that names no other. */
export const guarded: Guarded = { _tag: "Guarded" }

/**
 * Leaves approval out, which nothing else can.
 *
 * @example
 * Toolset.make([Deploy], { gate: Gate.unguarded("unit test") })
 */
export const unguarded = (reason: string): Unguarded => ({ _tag: "Unguarded", reason })
