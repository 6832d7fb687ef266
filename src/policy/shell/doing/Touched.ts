import type { GitUse, Touch, Unread } from "./Step.ts"

/** What is touched, with the directories that it may be named from. */
export interface Touched extends Touch {
  readonly from: ReadonlyArray<string>
  /** The first of what is touched that may come after it, by its place in the list. */
  readonly since?: number
}

/** What all commands of a shell text do. */
export interface Doing {
  readonly touched: ReadonlyArray<Touched>
  /** Addresses that are connected to; `undefined` is one that is known only at run time. */
  readonly urls: ReadonlyArray<string>
  /** The commands, or parts of them, of which it is not wholly known what they do. */
  readonly unknown: ReadonlyArray<Unread>
  /** Changes to settings of git by which it runs programs. */
  readonly settings: ReadonlyArray<string>
  readonly git: ReadonlyArray<GitUse & Pick<Touched, "from">>
  /** The texts that shells read, with the values of the variables that are known. */
  readonly texts: ReadonlyArray<string>
}
