import type { Literal } from "./Literal.ts"

/** A simple command all of whose words are literal. */
export interface PlainCommand {
  readonly name: string
  readonly args: ReadonlyArray<Literal>
  /** Files that are its standard input. */
  readonly inputs: ReadonlyArray<Literal>
  /** First in its list of `&&` and `||`. */
  readonly first: boolean
  /** Runs only if all before it in its list succeeded. */
  readonly chained: boolean
  /** Runs in a shell of its own, as part of a pipe. */
  readonly piped: boolean
  /** Reads what the command before it prints. */
  readonly fed: boolean
  /** No redirection takes its input from elsewhere or mixes what it prints with complaints. */
  readonly direct: boolean
}

/** Where a command stands among others. */
export type Place = Pick<PlainCommand, "first" | "chained" | "piped" | "fed">
