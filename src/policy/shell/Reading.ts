import type { Verdict } from "../Verdict.ts"
import type { ShellContext } from "./ShellContext.ts"

/** What the hard denials say of every command in a text, however deep it is nested. */
export interface Denied {
  readonly verdict: Verdict | undefined
  /** The command that is denied, as far as one is. */
  readonly denied: string | undefined
  /** The text is larger than what is read of it. */
  readonly exhausted: boolean
}

/** A command and what is to be said of it. */
export interface Remark {
  /** As it is written, without what wraps it. */
  readonly command: string
  /** A phrase. */
  readonly reason: string
}

export type Surroundings = Pick<ShellContext, "cwd" | "home" | "isIgnored" | "roots">

/** Hears of all that is read, and then nothing that is denied ends the reading. */
export interface Listener {
  /** A command, and what each of its words may start that are a command themselves. */
  readonly command: (argv: ReadonlyArray<string>) => void
  /** A text that a command is given to run. */
  readonly text: (text: string) => void
}
