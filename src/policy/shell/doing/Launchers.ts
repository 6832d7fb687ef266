import * as Either from "effect/Either"
import { usage } from "../Arguments.ts"
import type { Literal } from "../Literal.ts"
import type { ReadOnlyCommand } from "../ReadOnlyCommand.ts"
import { commandText, shells } from "../Wrappers.ts"
import { unknownPart, unread, type Unread } from "./Step.ts"
import { interpreterOf, projectStarters, startsUnknown, pythonModules } from "./ProjectPrograms.ts"

/** The command that another one starts. */
export interface Launched {
  readonly words: ReadonlyArray<Literal>
  /** A shell text in place of words. */
  readonly text?: string
  /** What the project has among its packages, or is fetched from elsewhere. */
  readonly fetches?: Literal
  /** What it is given in its environment. */
  readonly variables?: ReadonlyArray<{ readonly name: string; readonly value: string }>
}

const covering =
  "-a -r=text -n=text -x=text --all --reporter=text --include=text --exclude=text --check-coverage --silent --clean=text"

/** Options of programs that run the command behind them, and how many operands stand before it. */
const launchers: ReadonlyMap<string, { readonly options: string; readonly before?: RegExp }> = new Map([
  ["nohup", { options: "" }],
  ["time", { options: "-p" }],
  ["nice", { options: "-n=number" }],
  ["ionice", { options: "-c=number -n=number -t" }],
  ["stdbuf", { options: "-i=text -o=text -e=text" }],
  ["setsid", { options: "-f -w" }],
  ["command", { options: "" }],
  ["builtin", { options: "" }],
  ["exec", { options: "" }],
  ["chronic", { options: "" }],
  ["caffeinate", { options: "-i -d -s" }],
  [
    "timeout",
    {
      options: "-k=text -s=text -v --kill-after=text --signal=text --foreground --preserve-status",
      before: /^\d+(?:\.\d+)?[smhd]?$/
    }
  ],
  [
    "gtimeout",
    {
      options: "-k=text -s=text -v --kill-after=text --signal=text --foreground --preserve-status",
      before: /^\d+(?:\.\d+)?[smhd]?$/
    }
  ],
  [
    "xargs",
    {
      options:
        "-0 -r -t -n=number -P=number -L=number -I=text -d=text --null --no-run-if-empty --max-args=number --max-procs=number --verbose"
    }
  ],
  ["c8", { options: covering }],
  ["nyc", { options: covering }],
  ["npx", { options: "-y --yes --no --no-install -q --quiet" }],
  ["bunx", { options: "--bun" }]
])

/** How many of the words are options of a launcher itself, by trying each start; fewer than none where some are not known. */
export const ownWords = (name: string, args: ReadonlyArray<Literal>): number => {
  const table: ReadOnlyCommand = { options: launchers.get(name)?.options ?? "", operands: "none" }
  let at = 0
  while (at < args.length && args[at]!.value.startsWith("-") && args[at]!.value !== "-") {
    if (args[at]!.value === "--") return at + 1
    const alone = Either.isRight(usage(name, table, args.slice(at, at + 1)))
    const withValue = !alone && at + 1 < args.length && Either.isRight(usage(name, table, args.slice(at, at + 2)))
    if (!alone && !withValue) return -1
    at += alone ? 1 : 2
  }
  return at
}

/** Which of its own options a launcher is given. */
export const ownOptions = (name: string, own: ReadonlyArray<Literal>): ReadonlySet<string> => {
  const read = usage(name, { options: launchers.get(name)?.options ?? "", operands: "none" }, own)
  return Either.isRight(read) ? read.right.options : new Set()
}

const ofEnv = (args: ReadonlyArray<Literal>): Launched | Unread => {
  const variables: Array<{ readonly name: string; readonly value: string }> = []
  let at = 0
  for (; at < args.length; at++) {
    const { value } = args[at]!
    const [, name, given = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(value) ?? []
    if (name !== undefined) variables.push({ name, value: given.includes(unknownPart) ? "?" : given })
    else if (value === "-u") at++
    else if (value !== "-i" && value !== "--") break
  }
  if (at >= args.length) return unread("env", "it shows the environment, which holds secrets")
  if (args[at]!.value.startsWith("-")) return unread("env", "it is not known what it does with these words")
  return { words: args.slice(at), variables }
}

const ofShell = (args: ReadonlyArray<Literal>): Launched | Unread | undefined => {
  const values = args.map(({ value }) => value)
  if (!values.some((value) => /^-[a-z]*c/.test(value))) return undefined
  const text = commandText(values)
  if (text === undefined || text === "" || text.includes(unknownPart))
    return unread("sh", "what it runs is known only at run time")
  return /^-[eluxc]*c$/.test(values[0] ?? "") && values[1] === text
    ? { words: [], text }
    : unread("sh", "it is not known what it does with these words")
}

/** What a command starts, if it is one that only starts another. */
export const launched = (name: string, args: ReadonlyArray<Literal>): Launched | Unread | undefined => {
  if (name === "env") return ofEnv(args)
  if (shells.has(name)) return ofShell(args)
  if (interpreterOf(name) === "python" && args[0]?.value === "-m") {
    const module = args[1]?.value ?? ""
    if (!pythonModules.has(module))
      return unread(name, `it is not known what the module ${module.replaceAll(unknownPart, "…")} does`)
    return /^(?:http\.server|json\.tool|py_compile|compileall|unittest|doctest|venv|build)$/.test(module)
      ? undefined
      : { words: [{ ...args[1]!, value: module }, ...args.slice(2)] }
  }
  if (name === "corepack" && /^(?:npm|npx|pnpm|pnpx|yarn)(?:@|$)/.test(args[0]?.value ?? ""))
    return { words: [unversioned(args[0]!), ...args.slice(1)] }
  if (name === "yarn" && args[0]?.value === "workspace" && args[2] !== undefined)
    return { words: [{ ...plain, value: name }, ...args.slice(2)] }
  const unknown = startsUnknown.get(name)
  if (args.some(({ value }) => value === unknown)) return unread(name, "it is not known what it starts")
  const starts = projectStarters.get(name)
  if (starts !== undefined) {
    const first = args[0]?.value ?? ""
    if (!starts.test(first)) {
      // Options and a workspace may stand before the word that starts another program.
      const leads = first.startsWith("-") || first === "workspace" || first === "workspaces"
      return leads && args.some(({ value }) => starts.test(value))
        ? unread(name, "it is not known what it starts, or where")
        : undefined
    }
    const words = args.slice(args[1]?.value === "--" ? 2 : 1)
    return words[0] === undefined || words[0].value.startsWith("-")
      ? unread(name, "it is not known what it starts")
      : first === "dlx"
        ? unread(`${name} dlx`, "it fetches a program from elsewhere and runs it")
        : packaged(name, words, name === "npm" || name === "bun")
  }
  const launcher = launchers.get(name)
  if (launcher === undefined) return undefined
  if (name === "command" && /^-[vV]+$/.test(args[0]?.value ?? "")) return undefined
  const own = ownWords(name, args)
  const at = launcher.before === undefined ? own : own + 1
  if (own < 0 || (launcher.before !== undefined && !launcher.before.test(args[own]?.value ?? "")))
    return unread(name, "it is not known what it does with these words")
  const words = args.slice(at)
  if (words[0] === undefined)
    return name === "xargs"
      ? { words: [{ ...plain, value: "echo" }] }
      : name === "exec"
        ? { words: [{ ...plain, value: "true" }] }
        : unread(name, "it is not known what it starts")
  if (name === "npx" || name === "bunx")
    return packaged(name, words, !args.slice(0, own).some(({ value }) => /^--no(?:-install)?$/.test(value)))
  return { words: name === "xargs" ? withInput(args.slice(0, own), words) : words }
}

/** The text in whose places `xargs` puts what it reads, if it is told one by its options. */
export const replacedBy = (own: ReadonlyArray<Literal>): string | undefined => {
  const at = own.findLastIndex(({ value }) => /^-[0rt]*I/.test(value))
  return at < 0 ? undefined : own[at]!.value.replace(/^-[0rt]*I/, "") || (own[at + 1]?.value ?? "")
}

/** The words of a command with what `xargs` reads: behind them, or in place of a text of theirs. */
const withInput = (own: ReadonlyArray<Literal>, words: ReadonlyArray<Literal>): ReadonlyArray<Literal> => {
  const given = replacedBy(own)
  if (given === undefined) return [...words, { ...plain, value: unknownPart + unknownPart }]
  if (given === "" || given.includes(unknownPart)) return words.map((word) => ({ ...word, value: unknownPart }))
  return words.map((word) => ({ ...word, value: word.value.replaceAll(given, unknownPart) }))
}

const plain: Literal = { value: "", bare: true, glob: false, tilde: false }

/** The programs of packages that are called otherwise. */
const programs: ReadonlyMap<string, string> = new Map([
  ["@angular/cli", "ng"],
  ["@babel/cli", "babel"],
  ["@biomejs/biome", "biome"],
  ["@changesets/cli", "changeset"],
  ["@commitlint/cli", "commitlint"],
  ["@graphql-codegen/cli", "graphql-codegen"],
  ["@nestjs/cli", "nest"],
  ["@playwright/test", "playwright"],
  ["@redocly/cli", "redocly"],
  ["@swc/cli", "swc"],
  ["@tailwindcss/cli", "tailwindcss"]
])

/** The program of a package, which is fetched where the project does not have it; a path is one that it has. */
const packaged = (
  by: string,
  [first = plain, ...words]: ReadonlyArray<Literal>,
  isFetched: boolean
): Launched | Unread => {
  const word = unversioned(first)
  if (/^\.{0,2}\//.test(word.value)) return { words: [word, ...words] }
  const fetched = isFetched ? { fetches: word } : {}
  if (!/[/:]/.test(word.value)) return { words: [word, ...words], ...fetched }
  const program = programs.get(word.value)
  return program === undefined
    ? unread(by, `it is not known what ${word.value.replaceAll(unknownPart, "…")} does`)
    : { words: [{ ...word, value: program }, ...words], ...fetched }
}

/** A package without its version. */
const unversioned = (word: Literal): Literal => ({ ...word, value: word.value.replace(/(?<=.)@[\w.^~-]+$/, "") })
