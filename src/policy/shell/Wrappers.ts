import { gitTexts } from "./GitPush.ts"

/** Commands that run another, by the number of operands before it. */
const wrappers: ReadonlyMap<string, number> = new Map([
  ...(
    "sudo doas env command builtin exec nohup nice ionice stdbuf setsid time xargs parallel watch strace ltrace unbuffer eval " +
    "busybox toybox npx bunx systemd-run proot fakeroot unshare nsenter runuser caffeinate setpriv script su alias trap " +
    "firejail bwrap catchsegv systemd-inhibit dbus-run-session xvfb-run prlimit numactl pkexec run0 entr chronic rlwrap " +
    "torsocks torify proxychains proxychains4 eatmydata setarch cpulimit choom sem screen tmux hyperfine daemonize corepack " +
    "arch c8 nyc xcrun spawn"
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
  ["faketime", 1],
  ["ssh", 1]
])

export const wrapperNames: ReadonlySet<string> = new Set(wrappers.keys())

/** Commands that run another behind one of these subcommands, and the number of operands between where there are any. */
const runners: ReadonlyMap<string, ReadonlyMap<string, number>> = new Map(
  Object.entries({
    npm: "exec x explore:1",
    pnpm: "exec dlx",
    yarn: "exec dlx run",
    bun: "x run",
    uv: "run",
    poetry: "run",
    pipenv: "run",
    bundle: "exec",
    direnv: "exec:1",
    git: "foreach run",
    lerna: "exec",
    nx: "exec",
    rustup: "run:1",
    tox: "exec",
    mix: "cmd"
  }).map(([name, all]) => {
    const subcommands = all.split(" ").map((one) => one.split(":"))
    return [name, new Map(subcommands.map(([verb = "", before = "0"]) => [verb, Number(before)]))] as const
  })
)

/** Run a word that is none of their own verbs as a program, where no script of the project is called so. */
const fallsBack: ReadonlySet<string> = new Set(["pnpm", "yarn", "bun"])

const ownVerbs: ReadonlySet<string> = new Set(
  (
    "a add approve-builds audit bin build c cache ci config create dedupe deploy dlx doctor env exec fetch get global help i import info init " +
    "install install-test it la licenses link list ll ln login logout ls npm outdated pack patch patch-commit patch-remove ping plugin " +
    "pm prune publish rb rebuild remove restart rm root run run-script search self-update set setup start stop store t test tst un unlink " +
    "uninstall unplug up update upgrade upgrade-interactive version versions view whoami why workspace workspaces x"
  ).split(" ")
)

/** Options of theirs with a value behind them, which is no program. */
const valued: ReadonlySet<string> = new Set(
  (
    "-F --filter --filter-prod -C --dir --cwd --config --reporter --loglevel --workspace-concurrency --resume-from --test-pattern " +
    "--changed-files-ignore-pattern --registry --store-dir --cache-folder --modules-folder --mutex --network-timeout --env-file"
  ).split(" ")
)

/** Where the word may stand that such a program runs by its name: the first that is neither an option nor its own verb, and what may be the value of one. */
export const fallbackAt = (name: string, args: ReadonlyArray<string>): ReadonlyArray<number> => {
  if (!fallsBack.has(name)) return []
  const isOperand = (word: string, at: number) => !isOption(word) && !valued.has(args[at - 1] ?? "")
  const first = args.findIndex((word, at) => isOperand(word, at) && args[at - 1]?.startsWith("-") !== true)
  const found = args.flatMap((word, at) => (!isOperand(word, at) || (first >= 0 && at > first) ? [] : [at]))
  const own = found.findIndex((at) => ownVerbs.has(args[at]!))
  return own < 0 ? found : found.slice(0, own)
}

/** Of these, those that have other words before it: `git submodule foreach`, `yarn workspace NAME exec`. */
const nests: ReadonlySet<string> = new Set(["git", "yarn"])

export const shells: ReadonlySet<string> = new Set("sh bash dash zsh ksh mksh ash fish csh tcsh rbash".split(" "))

/** Run the text that they are given as words or read from a file, in this shell. */
export const evaluators: ReadonlySet<string> = new Set(["eval", "source", "."])

const interpreterName =
  /^(?:python|perl|ruby|node|php|lua|deno|bun|osascript|pwsh|rscript|tclsh|guile|awk|ts-node|tsx|expect)[\d.]*$/

export const isInterpreter = (name: string): boolean => shells.has(name) || interpreterName.test(name)

/** Commands whose words are text to print or compare, never names of files or commands. */
export const printers: ReadonlySet<string> = new Set(
  "echo printf : true false basename dirname which type test [ apropos whatis".split(" ")
)

/** Commands whose first operand is a pattern or script. */
export const matchers: ReadonlySet<string> = new Set("grep egrep fgrep rg ag ack sed".split(" "))

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

/** Where the subcommand stands that runs what follows it: behind options and their values, or behind others. */
const runnerAt = (argv: ReadonlyArray<string>, start: number, name: string): number => {
  const subcommands = runners.get(name)
  if (subcommands === undefined) return -1
  const first = argv.findIndex(
    (word, at) =>
      at > start &&
      !isOption(word) &&
      (subcommands.has(word) || (!nests.has(name) && (at === start + 1 || !argv[at - 1]!.startsWith("-"))))
  )
  return subcommands.has(argv[first] ?? "") ? first : -1
}

const wrapped = (argv: ReadonlyArray<string>, start: number): ReadonlyArray<number> => {
  const name = commandName(argv[start] ?? "")
  if (name === "find") {
    const at = argv.findIndex((word, index) => index > start && /^-(?:exec|ok)(?:dir)?$/.test(word))
    return at < 0 ? [] : [at + 1]
  }
  if (name === "command" && /^-[pvV]*[vV]/.test(argv[start + 1] ?? "")) return []
  const runner = runnerAt(argv, start, name)
  if (runner < 0 && fallsBack.has(name)) return fallbackAt(name, argv.slice(start + 1)).map((at) => start + 1 + at)
  const before = runner < 0 ? wrappers.get(name) : runners.get(name)?.get(argv[runner]!)
  if (before === undefined) return []
  const found: Array<number> = []
  let operands = 0
  let afterOption = false
  for (let at = Math.max(runner, start) + 1; at < argv.length && found.length < maximumCandidates; at++) {
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
const textRunners = new Set(
  "watch su script trap alias parallel ssh flock runuser npx bunx hyperfine tmux screen sem sg entr".split(" ")
)

/** Commands with an option whose value is shell text. */
const textOptions: Readonly<Record<string, RegExp>> = {
  env: /^(?:-S|--split-string)$/,
  npm: /^(?:-c|--call)$/,
  pnpm: /^(?:-c|--shell-mode)$/,
  cargo: /^(?:-s|--shell)$/,
  lerna: /^exec$/,
  expect: /^-c$/
}

/** The values of such options, in words of their own or in the same. */
const optionTexts = (option: RegExp, args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((arg, index) => {
    if (option.test(args[index - 1] ?? "")) return [arg]
    const [, named = "", value = ""] = /^(--[\w-]+)=(.+)$/s.exec(arg) ?? /^(-[A-Za-z])(.+)$/s.exec(arg) ?? []
    return option.test(named) ? [value] : []
  })

/** The program that a shell is given with `-c`: `undefined` where it has no such option, `""` where the text is missing. */
export const commandText = (args: ReadonlyArray<string>): string | undefined => {
  const at = args.findIndex((arg) => /^-[a-z]*c/.test(arg))
  if (at < 0) return undefined
  const text = args.findIndex(
    (arg, index) => index > at && !/^[-+]/.test(arg) && !/^[-+][a-z]*[oO]$/.test(args[index - 1]!)
  )
  return args[text] ?? ""
}

/** Builtins that take words for assignments: what is in parentheses there is read as shell text, quoted or not. */
export const declarers: ReadonlySet<string> = new Set("declare typeset local readonly export".split(" "))

const listAssigned = /^[A-Za-z_]\w*(?:\[.*?\])?\+?=\(/s

/** The words of a command line that a shell will read again. */
export const innerTexts = (name: string, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (name === "eval") return args.length > 1 ? [args.join(" ")] : args
  if (declarers.has(name)) return args.filter((arg) => listAssigned.test(arg))
  if (shells.has(name)) return [commandText(args) ?? ""]
  if (Object.hasOwn(textOptions, name)) return optionTexts(textOptions[name]!, args)
  if (name === "git") return gitTexts(args)
  if (!textRunners.has(name)) return []
  return args
    .filter((arg) => /[\s;|&]/.test(arg) && !/^(?:\$\(|`)/.test(arg))
    .map((arg) => (name === "alias" ? arg.slice(arg.indexOf("=") + 1) : arg))
}
