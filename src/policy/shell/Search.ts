import type { Usage } from "./Arguments.ts"
import type { Descent } from "./Descent.ts"
import type { ShellContext } from "./ShellContext.ts"
import type { ReadOnlyCommand } from "./ReadOnlyCommand.ts"

/** What a command opens of what lies below the directories that it is given. */
export type Search = Pick<Descent, "filters" | "hidden">

/** All of it. */
export const everything: Search = { filters: [], hidden: "all" }

/** What the types of `rg` stand for that no secret is called like (`rg --type-list`). */
const fileTypes: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries({
    css: "*.css *.scss",
    go: "*.go",
    html: "*.ejs *.htm *.html",
    js: "*.cjs *.js *.jsx *.mjs *.vue",
    kotlin: "*.kt *.kts",
    markdown: "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
    md: "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
    py: "*.py *.pyi",
    python: "*.py *.pyi",
    rust: "*.rs",
    sql: "*.psql *.sql",
    swift: "*.swift",
    ts: "*.cts *.mts *.ts *.tsx",
    typescript: "*.cts *.mts *.ts *.tsx"
  }).map(([type, globs]) => [type, globs.split(" ")])
)

/** The patterns that a search goes by; none where it may open more than they say. */
const filtersOf = ({ globs, types }: Pick<Usage, "globs" | "types">): ReadonlyArray<string> => {
  if (types.length === 0) return globs
  const known = types.map((type) => fileTypes.get(type))
  const isWhole = globs.some((glob) => !glob.startsWith("!")) || known.includes(undefined)
  return isWhole ? [] : known.flatMap((patterns) => patterns ?? [])
}

/** What a use of a listed command opens below directories; `undefined` where it goes into none. */
export const searchOf = (
  { descends }: ReadOnlyCommand,
  { globs, options, types }: Pick<Usage, "globs" | "options" | "types">
): Search | undefined => {
  const has = (some: string): boolean => some.split(" ").some((option) => options.has(option))
  if (descends === undefined) return undefined
  const { hidden, never, only } = descends
  if ((only !== undefined && !has(only)) || (never !== undefined && has(never))) return undefined
  return { filters: filtersOf({ globs, types }), hidden: hidden === true ? "all" : has(hidden) ? "files" : "none" }
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
