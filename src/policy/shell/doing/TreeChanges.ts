import type { Literal } from "../Literal.ts"
import type { Touch } from "./Step.ts"
import { plain } from "./Unknown.ts"

/** A use of git by what its words are to it. */
interface Use {
  readonly options: ReadonlySet<string>
  readonly operands: ReadonlyArray<Literal>
}

const always = () => true
const first = ({ operands: [word] }: Use): string => word?.value ?? ""
const has = ({ options }: Use, ...some: ReadonlyArray<string>): boolean => some.some((option) => options.has(option))

/** Whether a use of these subcommands may put other files and links into the working tree. */
const changing: Readonly<Record<string, (use: Use) => boolean>> = {
  checkout: (use) => use.operands.length > 0 || has(use, "-f", "--force"),
  switch: (use) => use.operands.length > 0 || has(use, "--discard-changes"),
  restore: (use) => !has(use, "-S", "--staged") || has(use, "-W", "--worktree"),
  reset: (use) => has(use, "--hard", "--merge", "--keep"),
  stash: (use) => /^(?:pop|apply|branch)$/.test(first(use)),
  bisect: (use) => first(use) !== "log",
  merge: always,
  rebase: always,
  "cherry-pick": always,
  revert: always,
  pull: always
}

const here: Literal = { ...plain, value: "." }

/** Where a use of git may put other files and links than are there. */
export const treeChanged = (name: string, use: Use, by: string): ReadonlyArray<Touch> =>
  Object.hasOwn(changing, name) && changing[name]!(use) ? [{ word: here, op: "upset", by }] : []

/** A place that a command fills with what is known only then, which may be links. */
export const filledWith = (word: Literal, by: string): Touch => ({ word, op: "upset", by })
