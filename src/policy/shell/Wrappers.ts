/** Commands that run another, by the number of operands that stand before it. */
export const wrappers: ReadonlyMap<string, number> = new Map([
  ...(
    "sudo doas env command builtin exec nohup nice ionice stdbuf setsid time xargs parallel watch strace ltrace unbuffer eval " +
    "busybox toybox npx bunx systemd-run proot fakeroot unshare nsenter runuser caffeinate setpriv script su alias trap " +
    "firejail bwrap catchsegv systemd-inhibit dbus-run-session xvfb-run prlimit numactl"
  )
    .split(" ")
    .map((name) => [name, 0] as const),
  ["timeout", 1],
  ["gtimeout", 1],
  ["flock", 1],
  ["chroot", 1],
  ["taskset", 1],
  ["chrt", 1],
  ["gosu", 1],
  ["su-exec", 1],
  ["setuidgid", 1],
  ["ssh", 1]
])

export const shells: ReadonlySet<string> = new Set("sh bash dash zsh ksh mksh ash fish csh tcsh rbash".split(" "))

/** Run the text that they are given as words or read from a file, in this shell. */
export const evaluators: ReadonlySet<string> = new Set(["eval", "source", "."])

const interpreterName = /^(?:python|perl|ruby|node|php|lua|deno|bun|osascript|pwsh|Rscript|tclsh|guile|awk)[\d.]*$/

export const isInterpreter = (name: string): boolean => shells.has(name) || interpreterName.test(name)

/** Commands whose words are text to print or compare, never names of files or commands. */
export const printers: ReadonlySet<string> = new Set(
  "echo printf : true false basename dirname which type test [ apropos whatis".split(" ")
)

/** Commands whose first operand is a pattern or script. */
export const matchers: ReadonlySet<string> = new Set("grep egrep fgrep rg ag ack sed find".split(" "))

const isOption = (word: string): boolean => word.startsWith("-") || word.startsWith("+") || /^\w+\+?=/.test(word)

const maximumCandidates = 16

/**
 * Where in a command line its real command may start: at 0, and after each wrapper. The value of a wrapper's option is
 * taken for a command as well, since not knowing better it may be one.
 */
export const commandStarts = (argv: ReadonlyArray<string>): ReadonlyArray<number> => {
  const starts = new Set([0])
  for (const start of starts) {
    if (starts.size >= maximumCandidates) break
    for (const next of wrapped(argv, start)) starts.add(next)
  }
  return [...starts].slice(0, maximumCandidates)
}

const wrapped = (argv: ReadonlyArray<string>, start: number): ReadonlyArray<number> => {
  const name = commandName(argv[start] ?? "")
  if (name === "find") {
    const at = argv.findIndex((word, index) => index > start && /^-(?:exec|ok)(?:dir)?$/.test(word))
    return at < 0 ? [] : [at + 1]
  }
  if (name === "command" && /^-[pvV]*[vV]/.test(argv[start + 1] ?? "")) return []
  const foreach = name === "git" ? argv.indexOf("foreach", start) : -1
  const before = foreach < 0 ? wrappers.get(name) : 0
  if (before === undefined) return []
  const found: Array<number> = []
  let operands = 0
  let afterOption = false
  for (let at = Math.max(foreach, start) + 1; at < argv.length && found.length < maximumCandidates; at++) {
    const word = argv[at]!
    if (isOption(word)) {
      afterOption = word.startsWith("-")
      continue
    }
    found.push(at)
    if (!afterOption && operands++ >= before) break
    afterOption = false
  }
  return found
}

/** The last segment of a path, in lower case: some systems find `RM` too. */
export const commandName = (word: string): string => word.slice(word.lastIndexOf("/") + 1).toLowerCase()

/** Commands whose words may be shell text. */
const textRunners = new Set("watch su script trap alias parallel ssh flock runuser npx bunx".split(" "))

/** The words of a command line that a shell will read again. */
export const innerTexts = (name: string, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (name === "eval") return args.length > 1 ? [args.join(" ")] : args
  if (shells.has(name)) {
    const at = args.findIndex((arg) => /^-[a-z]*c/.test(arg))
    return at < 0 ? [] : args.slice(at + 1, at + 2)
  }
  if (name === "env") {
    return args.flatMap((arg, index) =>
      /^(?:-S|--split-string)$/.test(args[index - 1] ?? "")
        ? [arg]
        : (/^(?:-S|--split-string=)(.+)$/s.exec(arg)?.slice(1) ?? [])
    )
  }
  if (name === "git") {
    const foreach = args.indexOf("foreach")
    return args.flatMap((arg, index) =>
      foreach >= 0 && index > foreach ? [arg] : (/^alias\.[^=]*=!(.+)$/s.exec(arg)?.slice(1) ?? [])
    )
  }
  if (!textRunners.has(name)) return []
  return args
    .filter((arg) => !/^(?:\$\(|`)/.test(arg))
    .map((arg) => (name === "alias" ? arg.slice(arg.indexOf("=") + 1) : arg))
}
