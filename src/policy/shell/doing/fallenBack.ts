import type { Literal } from "../Literal.ts"
import { fallbackAt } from "../Wrappers.ts"
import { isKnownProgram } from "./KnownPrograms.ts"

/** A program that a package manager runs by its name, where it has no verb and the project no script that is called so. */
export interface FallenBack {
  /** What the package manager itself is told. */
  readonly before: ReadonlyArray<Literal>
  readonly words: ReadonlyArray<Literal>
}

/** Names of scripts more often than of the program. */
const scripts = /^watch$/

/** The program that such a command runs, if it is one that is known; other words are scripts of the project. */
export const fallenBack = (name: string, args: ReadonlyArray<Literal>): FallenBack | undefined => {
  const named = name === "bun" && args[0]?.value === "run" ? args.slice(1) : args
  const values = named.map(({ value }) => value)
  const at = fallbackAt(name, values).find((one) => isKnownProgram(values[one]!) && !scripts.test(values[one]!))
  return at === undefined ? undefined : { before: named.slice(0, at), words: named.slice(at) }
}
