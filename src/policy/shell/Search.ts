import type { Left, Usage } from "./Arguments.ts"
import type { Descent } from "./Descent.ts"
import type { ShellContext } from "./ShellContext.ts"
import type { ReadOnlyCommand } from "./ReadOnlyCommand.ts"

/** What a command opens of what lies below the directories that it is given. */
export type Search = Pick<Descent, "filters" | "follows" | "hidden" | "isLeft">

/** All of it. */
export const everything: Search = { filters: [], hidden: "all" }

/** What the types of `rg` stand for that no secret is called like (`rg --type-list`). */
export const fileTypes: ReadonlyMap<string, ReadonlyArray<string>> = new Map(
  Object.entries({
    c: "*.c *.h *.c.in *.h.in *.cats",
    cpp: "*.c *.h *.c.in *.h.in *.cc *.cpp *.cxx *.hh *.hpp *.hxx *.cc.in *.cpp.in *.cxx.in *.hh.in *.hpp.in *.hxx.in *.inl",
    css: "*.css *.scss",
    go: "*.go",
    html: "*.ejs *.htm *.html",
    java: "*.java *.jsp *.jspx *.properties",
    js: "*.cjs *.js *.jsx *.mjs *.vue",
    kotlin: "*.kt *.kts",
    markdown: "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
    md: "*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn",
    php: "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml",
    py: "*.py *.pyi",
    python: "*.py *.pyi",
    ruby: "*.gemspec *.rb *.rbw .irbrc Gemfile Rakefile config.ru",
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

/** A name, or the beginning or the end of names. */
const plainPattern = /^(?:[\w.-]+\*?|\*[\w.-]+)$/

/** Whether a pattern matches a name for certain. */
const matches = (pattern: string, name: string): boolean => {
  if (!plainPattern.test(pattern)) return false
  if (pattern.startsWith("*")) return name.endsWith(pattern.slice(1))
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

/** What is left out for certain: where patterns also bring in, the last one of those that match counts, so that nothing is. */
const leftBy = ({ globs, left }: Pick<Usage, "globs" | "left">): Pick<Descent, "isLeft"> => {
  if (globs.some((glob) => !glob.startsWith("!"))) return {}
  const all = [
    ...left,
    ...globs.map((glob): Left => {
      const pattern = glob.slice(1).replace(/^\*\*\//, "")
      return pattern.endsWith("/") ? { pattern: pattern.slice(0, -1), of: "directory" } : { pattern, of: "both" }
    })
  ]
  return {
    isLeft: (name, kind) => all.some(({ of, pattern }) => (of === "both" || of === kind) && matches(pattern, name))
  }
}

/** What a use of a listed command opens below directories; `undefined` where it goes into none. */
export const searchOf = (
  { descends }: ReadOnlyCommand,
  { globs, left, options, types }: Pick<Usage, "globs" | "left" | "options" | "types">
): Search | undefined => {
  const has = (some: string): boolean => some.split(" ").some((option) => options.has(option))
  if (descends === undefined) return undefined
  const { follows = false, hidden, never, only, uncovers } = descends
  if ((only !== undefined && !has(only)) || (never !== undefined && has(never))) return undefined
  const isWhole = hidden === true || (uncovers !== undefined && has(uncovers))
  return {
    filters: filtersOf({ globs, types }),
    follows,
    hidden: isWhole ? "all" : has(hidden) ? "files" : "none",
    ...leftBy({ globs, left })
  }
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
