import type { FindExpression } from "../FindExpression.ts"
import type { Literal } from "../Literal.ts"
import type { Search } from "../Search.ts"

/** What stands in a word for what is known only at run time. */
export const unknownPart = "\0"

/** Which files a command is handed that are found when it runs. */
export interface Found {
  readonly expression: FindExpression
  /** Names are handed without that of the place before them. */
  readonly isBare: boolean
  /** A name with a blank in it is handed as several. */
  readonly isSplit: boolean
}

/** A place that a command touches. */
export interface Touch {
  readonly word: Literal
  /** What is upset may hold other files and links afterwards; what is fetched is a program that comes from elsewhere if no package here has it. */
  readonly op: "read" | "write" | "list" | "enter" | "mention" | "link" | "start" | "upset" | "fetch"
  /** The command. */
  readonly by: string
  /** What of it is read too that lies below. */
  readonly below?: Search
  /** A copy of it has its mode. */
  readonly keepsMode?: boolean
  /** What links below it lead to is read too. */
  readonly follows?: boolean
  /** Of what lies below, the files that a `find` takes are read. */
  readonly found?: Found
  /** It is gone then. */
  readonly removes?: boolean
  /** Names come into it that no word says. */
  readonly fills?: boolean
  /** It is about a link itself, not about where that leads. */
  readonly unfollowed?: boolean
  /** It is a place only if it is a link; else it may be any word. */
  readonly ifLink?: boolean
  /** Whether a program that names it changes it, as far as its words tell. */
  readonly changes?: "likely" | "possibly"
  /** Where a link to it comes to lie, and whether what it says is taken from there. */
  readonly linked?: { readonly at: Literal; readonly fromThere: boolean }
  /** What the content is made of that is written; unset where it is another, empty where there is none. */
  readonly made?: ReadonlyArray<Literal>
  /** What keeps its name if the place is a directory. */
  readonly named?: ReadonlyArray<Literal>
}

/** A subcommand of git with its words, and those of them that are paths or revisions. */
export interface GitUse {
  readonly name: string
  readonly args: ReadonlyArray<string>
  readonly operands: ReadonlyArray<string>
}

/** What a command does, as far as it is wholly known. */
export interface Step {
  readonly touches: ReadonlyArray<Touch>
  readonly urls: ReadonlyArray<string>
  /** The directory that paths are named from, if it is another. */
  readonly within?: Literal
  /** Commands that it starts. */
  readonly runs?: ReadonlyArray<ReadonlyArray<Literal>>
  readonly settings?: ReadonlyArray<string>
  /** What git is told to show, if it is git. */
  readonly git?: GitUse
}

/** A command, or a part of one, of which it is not wholly known what it does, and why. */
export interface Unread {
  readonly command: string
  readonly reason: string
  /** What it does as far as that is known. */
  readonly does?: Step
}

export const does = (step: Partial<Step>): Step => ({ touches: [], urls: [], ...step })

export const unread = (command: string, reason: string): Unread => ({ command, reason })

export const isUnread = (found: object): found is Unread => "reason" in found

/** A command as it is told of, without what is known only at run time. */
export const shown = (command: string): string => command.replaceAll(unknownPart, "…")
