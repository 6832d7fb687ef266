import type { Call } from "./HardDenials.ts"
import type { Reach } from "./Reach.ts"

/** Where a command stands that is judged for what it destroys. */
export interface Scene {
  readonly reach: Reach
  /** Absolute directories that tools may work in. */
  readonly roots: ReadonlyArray<string>
  /** The texts that it is known to be fed. */
  readonly input: ReadonlyArray<string>
  /** Reads what a pipe brings. */
  readonly piped: boolean
  /** Whether git ignores an absolute path. */
  readonly isIgnored?: ((path: string) => boolean) | undefined
}

/** What a command destroys, publishes or runs unread, as the phrase that a person reads; `undefined` if nothing is known. */
export type Destroys = (call: Call, scene: Scene) => string | undefined

/** Whether the value of a word is known only at run time. */
export const isUnknown = (word: string): boolean => /[$`]/.test(word)

/** The operands that select what a program with subcommands does; the value of an option may be among them. */
export const verbsOf = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.filter((arg) => !arg.startsWith("-"))
