import { type Destroys, isUnknown } from "./Destruction.ts"
import { subcommand } from "./GitPush.ts"

type DestroysGit = (args: ReadonlyArray<string>) => string | undefined

const has = (args: ReadonlyArray<string>, options: RegExp): boolean => {
  const end = args.indexOf("--")
  return (end < 0 ? args : args.slice(0, end)).some((arg) => options.test(arg))
}

const ifOption =
  (options: RegExp, does: string): DestroysGit =>
  (args) =>
    has(args, options) ? does : undefined

const ifFirst =
  (verbs: RegExp, does: string): DestroysGit =>
  (args) =>
    verbs.test(args.find((arg) => !arg.startsWith("-")) ?? "") ? does : undefined

/** A word that is more likely a path than the name of a branch. */
const looksLikePath = (word: string): boolean => /^\.{1,2}(?:\/|$)|[*?[]|\/$|\.[a-z]\w{0,5}$|^:/i.test(word)

const undoes = "Discards uncommitted changes"
const dropsCommits = "Drops commits that may exist nowhere else"

const checkout: DestroysGit = (args) => {
  if (has(args, /^(?:-[a-zA-Z]*f[a-zA-Z]*|--force|--ours|--theirs|--pathspec-from-file.*)$/)) return undoes
  if (has(args, /^-B/)) return "Moves a branch away from its commits"
  if (args.includes("--")) return args.at(-1) === "--" ? undefined : undoes
  if (has(args, /^(?:-b|--orphan|-t|--track.*|-d|--detach)/)) return undefined
  const operands = args.filter((arg) => !arg.startsWith("-") || arg === "-")
  return operands.length > 1 || operands.some((word) => looksLikePath(word) || isUnknown(word)) ? undoes : undefined
}

const restore: DestroysGit = (args) =>
  has(args, /^(?:-[a-zA-Z]*S|--staged$)/) && !has(args, /^(?:-[a-zA-Z]*W|--worktree$)/) ? undefined : undoes

const clean: DestroysGit = (args) => (has(args, /^(?:-[a-zA-Z]*n|--dry-run$)/) ? undefined : "Deletes untracked files")

/** By subcommand; pushes are no matter of degree, they never run. */
const byVerb: Readonly<Record<string, DestroysGit>> = {
  reset: ifOption(/^--(?:har|mer|ke)/, `${undoes} and moves the branch`),
  clean,
  checkout,
  restore,
  switch: (args) =>
    has(args, /^(?:-[a-zA-Z]*f|--force|--discard-changes)$/)
      ? undoes
      : has(args, /^(?:-C|--force-create)/)
        ? "Moves a branch away from its commits"
        : undefined,
  "checkout-index": ifOption(/^(?:-[a-z]*f|--force)/, undoes),
  "read-tree": ifOption(/^(?:-u|--reset)/, undoes),
  stash: ifFirst(/^(?:drop|clear)$/, "Deletes stashed changes"),
  branch: ifOption(/^(?:-[a-zA-Z]*[DMCf][a-zA-Z]*|--force)$/, dropsCommits),
  tag: ifOption(/^(?:-[a-z]*[df]|--delete|--force)/, "Deletes or moves a tag"),
  reflog: ifFirst(/^(?:expire|delete)$/, dropsCommits),
  gc: ifOption(/^--prune(?!=never)|^--aggressive-prune/, dropsCommits),
  prune: (args) => (has(args, /^(?:-n|--dry-run)$/) ? undefined : dropsCommits),
  "filter-branch": () => "Rewrites the history",
  "filter-repo": () => "Rewrites the history",
  "fast-import": ifOption(/^--force/, "Rewrites the history"),
  replace: ifOption(/^(?:-[df]|--delete|--force)/, "Replaces commits"),
  "update-ref": ifOption(/^(?:-d|--stdin|--delete)/, dropsCommits),
  "symbolic-ref": ifOption(/^(?:-d|--delete)/, dropsCommits),
  worktree: (args) =>
    args[0] === "remove" && has(args, /^(?:-[a-z]*f|--force)/) ? "Deletes a working tree with its changes" : undefined,
  submodule: (args) =>
    args.includes("deinit") || (args.includes("update") && has(args, /^(?:-f|--force)$/)) ? undoes : undefined,
  rm: ifOption(/^(?:-[a-z]*[rf]|--force)/, "Deletes files, even changed ones"),
  lfs: ifFirst(/^prune$/, "Deletes stored files"),
  notes: ifFirst(/^(?:remove|prune)$/, "Deletes notes"),
  rebase: ifOption(/^--(?:abort|skip)$/, undoes),
  merge: ifOption(/^--abort$/, undoes),
  am: ifOption(/^--(?:abort|skip)$/, undoes),
  "cherry-pick": ifOption(/^--(?:abort|skip)$/, undoes),
  revert: ifOption(/^--(?:abort|skip)$/, undoes),
  remote: (args) => {
    const [verb = ""] = args.filter((arg) => !arg.startsWith("-"))
    if (/^(?:remove|rm|prune)$/.test(verb)) return "Deletes a remote and its branches here"
    return verb === "set-url" ? "Changes where commits are taken from and pushed to" : undefined
  },
  svn: ifFirst(/^(?:reset|dcommit)$/, "Rewrites the history")
}

/** What a `git` command line destroys of changes, commits or branches, by the aliases that it brings as well. */
const destroyedBy = (args: ReadonlyArray<string>): string | undefined => {
  const [verb = "", ...rest] = subcommand(args)
  if (isUnknown(verb)) return "Runs a git subcommand that is known only at run time"
  const aliased = args.flatMap((arg) => /^alias\.[^=]*=\s*([^!\s].*)$/is.exec(arg)?.slice(1) ?? [])
  const judged = Object.hasOwn(byVerb, verb) ? byVerb[verb]?.(rest) : undefined
  return aliased.reduce((found, text) => found ?? destroyedBy(text.trim().split(/\s+/)), judged)
}

export const destructiveGit: Destroys = ({ args }) => destroyedBy(args)
