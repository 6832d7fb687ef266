const valueOptions = new Set(
  "-C -c --git-dir --work-tree --namespace --super-prefix --config-env --attr-source".split(" ")
)
const pushing = new Set("push send-pack http-push".split(" "))
/** What a subcommand of another subcommand pushes with. */
const pushingBelow: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["subtree", new Set(["push"])],
  ["lfs", new Set(["push"])],
  ["svn", new Set(["dcommit"])],
  ["p4", new Set(["submit"])],
  ["for-each-repo", pushing]
])

/** The subcommand of a `git` command line and what follows it. */
export const subcommand = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  let at = 0
  while (at < args.length && args[at]!.startsWith("-")) at += valueOptions.has(args[at]!) ? 2 : 1
  return args.slice(at)
}

/** Whether `git` with these arguments sends commits to a remote, or gives a push another name. */
export const pushes = (args: ReadonlyArray<string>): boolean => {
  const [name = "", ...rest] = subcommand(args)
  if (pushing.has(name)) return true
  if (pushingBelow.get(name)?.has(rest.find((arg) => !arg.startsWith("-")) ?? "") === true) return true
  if (name === "config" && rest.some((arg, index) => isAlias(rest[index - 1]) && /^push\b/.test(arg))) return true
  return args.some((arg, index) => args[index - 1] === "-c" && /^alias\.[^=]*=\s*push\b/i.test(arg))
}

const isAlias = (key = ""): boolean => /^alias\./i.test(key)

/** `git-push` and its like, as they lie in git's own directory. */
export const isPush = (command: string): boolean => command.startsWith("git-") && pushing.has(command.slice(4))

/** Options of `rebase` and `filter-branch` whose value is shell text. */
const textOptions = /^(?:-x|--exec|--(?:tree|index|msg|env|parent|commit|tag-name)-filter|--setup)$/

/** The words of a `git` command line that a shell will read. */
export const gitTexts = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [name = "", ...rest] = subcommand(args)
  const foreach = name === "submodule" && rest.includes("foreach")
  const rewrites = name === "rebase" || name === "filter-branch"
  return args.flatMap((arg, index) => {
    const before = args[index - 1] ?? ""
    if (foreach || (rewrites && textOptions.test(before))) return [arg]
    const attached = rewrites ? /^(?:-x|--exec=)(.+)$/s.exec(arg)?.slice(1) : undefined
    const alias = isAlias(before) ? /^!(.+)$/s.exec(arg) : /^alias\.[^=]*=!(.+)$/is.exec(arg)
    return attached ?? alias?.slice(1) ?? []
  })
}
