/** Which contents a use of git prints, or searches so that its answer tells of them: none but those of files that it names, those of tracked files, or those of past commits. */
export type GitContents =
  | { readonly of: "named" }
  | {
      readonly of: "tracked"
      /** Only of those at or below these paths, where there are any. */
      readonly below: ReadonlyArray<string>
      /** Only of those that are not as they were last added. */
      readonly changed: boolean
    }
  | {
      readonly of: "past"
      /** Arguments with which git lists, each behind a NUL, the files whose contents it would print; unknown where there are none. */
      readonly names: ReadonlyArray<string> | undefined
      /** Only of those at or below these paths, where there are any. */
      readonly below: ReadonlyArray<string>
    }

/** Letters of options stand together in one word, with a value behind the last. */
const patches = /^(?:-c|-[a-zA-Z]*[puUW].*|--check|--patch|--unified(?:=.*)?|--word-diff(?:=.*)?|--cc)$/
const summaries =
  /^(?:-s|--no-patch|--stat(?:=.*)?|--shortstat|--numstat|--name-only|--name-status|--summary|--dirstat(?:=.*)?|--raw)$/

/** Options that select what is shown. */
const selects =
  /^(?:-n\d+|-\d+|--(?:max-count|skip|since|after|until|before|author|committer|grep)=.+|--all|--(?:branches|tags|remotes)(?:=.+)?|--merges|--no-merges|--first-parent|--reverse|--cached|--staged|--merge-base|--follow|-R)$/
/** Options that say how it is shown. */
const shapes =
  /^(?:-p|-u|-U\d+|-s|-w|-b|-z|--patch|--unified=.+|--stat(?:=.+)?|--shortstat|--numstat|--summary|--dirstat(?:=.+)?|--name-only|--name-status|--raw|--color(?:=.+)?|--no-color|--word-diff(?:=.+)?|--no-ext-diff|--no-textconv|--no-renames|--minimal|--patience|--histogram|--ignore-all-space|--ignore-space-change|--ignore-space-at-eol|--abbrev(?:=.+)?|--no-abbrev|--full-index|--oneline|--graph|--decorate(?:=.+)?|--no-decorate|--format=.+|--pretty(?:=.+)?|--date=.+|--abbrev-commit|--no-abbrev-commit|--no-patch)$/
const takesNext = /^(?:-n|--(?:max-count|skip|since|after|until|before|author|committer|grep))$/

/** Searches in what commits changed; their bounds count the commits that are found and not those that are looked at. */
const pickaxe = /^-[a-zA-Z]*[SG]/
const bounding = /^(?:-[SG]|-n\d*$|-\d+$|--(?:max-count|skip)(?:=|$))/
const boundNext = /^(?:-[SGn]|--(?:max-count|skip))$/

const lists = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--no-textconv"]

type Exists = (path: string) => boolean

/** The same selection with names in place of contents. Objects that are no commits have no such names. */
const namesOf = (name: string, args: ReadonlyArray<string>, isPath: Exists): ReadonlyArray<string> | undefined => {
  const kept: Array<string> = []
  const paths: Array<string> = []
  const searches = args.some((arg) => pickaxe.test(arg))
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (arg === "--") return [...start(name), ...kept, "--", ...paths, ...args.slice(at + 1)]
    if (searches && bounding.test(arg)) at += boundNext.test(arg) ? 1 : 0
    else if (takesNext.test(arg)) kept.push(arg, args[++at] ?? "")
    else if (!arg.startsWith("-") && isPath(arg)) paths.push(arg)
    else if (!arg.startsWith("-")) kept.push(name === "log" ? arg : `${arg}^{commit}`)
    else if (selects.test(arg)) kept.push(arg)
    else if (!shapes.test(arg)) return undefined
  }
  return [...start(name), ...kept, "--", ...paths]
}

const start = (name: string): ReadonlyArray<string> => [
  name === "rev-list" ? "log" : name,
  ...lists,
  ...(name === "diff" ? [] : ["--format="])
]

/** What a subcommand prints, by its arguments and those among them that are paths or revisions. */
export const contentsOf = (
  name: string,
  args: ReadonlyArray<string>,
  operands: ReadonlyArray<string>,
  exists: Exists
): GitContents => {
  const end = args.indexOf("--")
  const paths = end < 0 ? operands.filter(exists) : args.slice(end + 1)
  // What stands in front of `--` is a revision, even where a file is called so.
  const isPath = (word: string): boolean => end < 0 && exists(word)
  const below = paths.every((path) => exists(path) && !pathspec.test(path)) ? paths : []
  const past = (): GitContents => ({ of: "past", names: namesOf(name, args, isPath), below })
  const tracked = (changed: boolean): GitContents => ({
    of: "tracked",
    below: operands.some((path) => pathspec.test(path)) ? [] : operands,
    changed
  })
  const printsPatch = args.some((arg) => patches.test(arg))
  switch (name) {
    case "grep":
      return paths.length === operands.length ? tracked(false) : { of: "past", names: undefined, below: [] }
    case "log":
    case "rev-list":
      return printsPatch || args.some((arg) => pickaxe.test(arg)) ? past() : { of: "named" }
    case "show":
      if (operands.length > 0 && operands.every((arg) => ofRevision.test(arg))) return { of: "named" }
      return !printsPatch && args.some((arg) => summaries.test(arg)) && operands.every((arg) => commit.test(arg))
        ? { of: "named" }
        : past()
    case "diff": {
      if (!printsPatch && args.some((arg) => summaries.test(arg))) return { of: "named" }
      const leading = args.slice(0, end < 0 ? args.length : end)
      const isNow = leading.every((arg) => (arg.startsWith("-") ? !againstCommit.test(arg) : isPath(arg)))
      return isNow ? tracked(true) : past()
    }
    case "stash":
      return isInteractive(args) || (printsPatch && /^(?:show|list)$/.test(args[0] ?? ""))
        ? { of: "past", names: undefined, below: [] }
        : { of: "named" }
    case "add":
    case "checkout":
    case "reset":
    case "restore":
      return isInteractive(args) ? { of: "past", names: undefined, below: [] } : { of: "named" }
    case "commit":
      return isInteractive(args) || args.some((arg) => /^-[a-zA-Z]*v|^--verbose$/.test(arg))
        ? { of: "past", names: undefined, below: [] }
        : { of: "named" }
    default:
      return { of: "named" }
  }
}

/** Whether it shows one change after the other, and asks about each. */
const isInteractive = (args: ReadonlyArray<string>): boolean =>
  args.some((arg) => /^-[a-zA-Z]*[pi]|^--(?:patch|interactive)$/.test(arg))

/** What can only be a commit, of which a summary shows no contents. */
const commit = /^(?:HEAD|@)(?:[~^]\d*)*$/

/**
 * What can only be a file or a directory of a revision: a time or a search in braces has colons of its own, `..` makes a range, and
 * what ends as the name of a build does (`v1-3-gabc1234`) is a commit, whatever stands in front.
 */
const ofRevision = /^(?!.*\.\.(?!\/)|.*-g[a-f\d]+(?:[~^]|$))(?:[^:{}]|\{[^{}]*\})+:./is

/** What git takes for more than a name. */
const pathspec = /^:|[*?[\\]/

const againstCommit = /^--(?:cached|staged|merge-base)$/
