import type { ReadOnlyCommand } from "../ReadOnlyCommand.ts"

/** How a command is used by which all that it does is known: what it reads, what it writes, and what it connects to. */
export interface OrdinaryCommand extends ReadOnlyCommand {
  /** Operands that are written: all of them, the first, the last of several, or all with one of these options. */
  readonly writes?: "all" | "first" | "last" | { readonly with: string }
  /** Links to what it reads, always or with one of these options: by a name that is taken from where the link lies, or not. */
  readonly links?: { readonly with?: string; readonly symbolic: string; readonly relative?: string }
  /** What is written has the content of the other operands, or the one that it had. */
  readonly content?: "copied" | "kept"
  /** Saves what it gets by the last name of the address, with one of these options or without any of those. */
  readonly saves?: { readonly with?: string; readonly without?: string; readonly at?: string }
  /** What is written is gone then. */
  readonly removes?: true
  /** Goes through the directories that it reads: always, or with one of these options. */
  readonly goesThrough?: true | string
  /** With one of these options what is written has the mode of what is read. */
  readonly keepsMode?: string
  /** Takes what the links there lead to for what lies there: always, or with one of these options. */
  readonly follows?: true | string
  /** Fills a directory with names that no word says: the one given by this option, else where it runs; not with those of `with`. */
  readonly fills?: { readonly with?: string; readonly only?: string; readonly at: string }
  /** Endings of what it is given, without which it writes that. */
  readonly unpacks?: RegExp
  /** Words of which it is not known what it does with them. */
  readonly refuses?: RegExp
  /** Writes beside what it is given, or where it runs. */
  readonly writesHere?: string
}
