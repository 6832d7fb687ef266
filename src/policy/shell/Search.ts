import type { Usage } from "./Arguments.ts"
import type { Descent } from "./Descent.ts"
import type { ShellContext } from "./ShellContext.ts"
import type { ReadOnlyCommand } from "./ReadOnlyCommand.ts"

/** What a command opens of what lies below the directories that it is given. */
export type Search = Pick<Descent, "filters" | "hidden">

/** All of it. */
export const everything: Search = { filters: [], hidden: "all" }

/** What a use of a listed command opens below directories; `undefined` where it goes into none. */
export const searchOf = (
  { descends }: ReadOnlyCommand,
  { globs, options }: Pick<Usage, "globs" | "options">
): Search | undefined => {
  const has = (some: string): boolean => some.split(" ").some((option) => options.has(option))
  if (descends === undefined) return undefined
  const { hidden, never, only } = descends
  if ((only !== undefined && !has(only)) || (never !== undefined && has(never))) return undefined
  return { filters: globs, hidden: hidden === true ? "all" : has(hidden) ? "files" : "none" }
}

/**
 * Directories that a search of a place leaves out, as far as it goes by what git ignores. One that begins in an ignored directory
 * does not leave out what lies there.
 */
export const leftOut = (
  { hidden }: Search,
  directory: string,
  { isIgnored, roots }: Pick<ShellContext, "isIgnored" | "roots">
): Pick<Descent, "skips"> =>
  hidden === "all" || isIgnored === undefined || !roots.includes(directory) ? {} : { skips: isIgnored }
