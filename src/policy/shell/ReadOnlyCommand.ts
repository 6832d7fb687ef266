/**
 * What a value must be: a path is judged, a glob must not be able to name a secret, a type is one of files, a script is a lead, text is anything. What
 * is left is a pattern of names that a search leaves out: of files, or of directories with `leftDirectory`. Only is a glob of the files that it opens,
 * of which behind one that is left it opens all others too. What
 * is written is a path that no read-only command has, a url is an address, and data is sent to one. An archive is a path
 * that names no other machine, and a pair is two texts, each in a word of its own behind a long option.
 */
export type Kind =
  | "text"
  | "number"
  | "path"
  | "archive"
  | "pair"
  | "glob"
  | "only"
  | "left"
  | "leftDirectory"
  | "type"
  | "script"
  | "write"
  | "url"
  | "data"

/** Says whether a text has a form. */
export interface Form {
  readonly test: (text: string) => boolean
}

/** When a command searches directories, and what of them. */
export interface Searching {
  /** Only with one of these options. */
  readonly only?: string
  /** Not with one of these options. */
  readonly never?: string
  /** Reads hidden files too; otherwise only those that a filter, an ignore file or one of these options brings back. */
  readonly hidden: true | string
  /** With one of these options it goes into hidden directories too, and by no ignore file. */
  readonly uncovers?: string
  /** Some follow links that they meet. */
  readonly follows?: true
}

/** How a command may be used without asking. Anything not listed asks, abbreviated options included. */
export interface ReadOnlyCommand {
  /**
   * The allowed options: `-a` stands alone, `-n=number` takes a value (attached or next), `--color[=text]` may carry
   * one behind `=`. No other spelling is allowed; single letters may be bundled.
   */
  readonly options: string
  readonly operands: Kind | "none"
  /** Most operands. */
  readonly most?: number
  /** Fewest operands. */
  readonly least?: number
  /** The first operand is not a path but text of this form, unless an option of `leadIn` is given. */
  readonly lead?: Form
  readonly leadIn?: string
  /** What every operand that is text must match. */
  readonly form?: RegExp
  /** One of these options must be given, before any operand. */
  readonly needs?: string
  /** Its parser does not bundle as others do: an option is one letter in a word of its own, its value the next word. */
  readonly bundles?: false
  /** The first word may be a bundle of this form, of the options that stand behind a dash otherwise. */
  readonly dashless?: RegExp
  /** `-20` is an option. */
  readonly digits?: true
  /** Options must come first: one behind an operand may be taken for the name of a file to write. */
  readonly ordered?: true
  /** All arguments are operands, even those with a leading `-`. */
  readonly raw?: true
  /** Reads the files of the directories that it is given, or of its own where it is given none. */
  readonly descends?: Searching
  /** Runs a program given as text: without asking only within limits. */
  readonly computes?: true
  /** Reads the files of directories that it is given, by links too. */
  readonly compares?: true
}
