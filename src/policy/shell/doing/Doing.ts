import * as Either from "effect/Either"
import {
  type Assignment,
  type Command,
  type For,
  forEachChild,
  type Redirection,
  type Script,
  type SyntaxNode,
  type Word
} from "unbash"
import { usage } from "../Arguments.ts"
import { expanded } from "../CommandWords.ts"
import { findPaths } from "../Find.ts"
import { type Literal, literal } from "../Literal.ts"
import { readOnlyCommands } from "../ReadOnlyCommands.ts"
import type { ReadOnlyCommand } from "../ReadOnlyCommand.ts"
import { isTooComplex, isTooLong, read } from "../Source.ts"
import type { ShellContext } from "../ShellContext.ts"
import { isHarmlessFor, isOwnName } from "./Environment.ts"
import { gitDoes } from "./Git.ts"
import { launched } from "./Launchers.ts"
import type { OrdinaryCommand } from "./OrdinaryCommand.ts"
import { ordinaryCommands } from "./OrdinaryCommands.ts"
import { does, isUnread, type Step, type Touch, unread, type Unread, unknownPart } from "./Step.ts"
import { projectDoes } from "./Project.ts"
import { tarDoes } from "./Tar.ts"
import { shellBuiltin, testDoes } from "./Builtins.ts"

/** What is touched, with the directories that it may be named from. */
export interface Touched extends Touch {
  readonly from: ReadonlyArray<string>
}

/** What all commands of a shell text do. */
export interface Doing {
  readonly touched: ReadonlyArray<Touched>
  /** Addresses that are connected to; `undefined` is one that is known only at run time. */
  readonly urls: ReadonlyArray<string>
  /** The commands, or parts of them, of which it is not wholly known what they do. */
  readonly unknown: ReadonlyArray<Unread>
  /** Changes to settings of git by which it runs programs. */
  readonly settings: ReadonlyArray<string>
}

const maximumCommands = 256
const maximumDepth = 3
const maximumDirectories = 4

type Where = Pick<ShellContext, "cwd" | "home" | "variables">

/** Reads what a shell text does, command by command, wherever one stands; it opens nothing and never throws. */
export const doingOf = (text: string, where: Where): Doing => {
  const walker = new Walker(where)
  try {
    walker.read(text, 0)
  } catch {
    walker.unknown.push(unread(text, "its analysis failed"))
  }
  return walker
}

class Walker implements Doing {
  readonly touched: Array<Touched> = []
  readonly urls: Array<string> = []
  readonly unknown: Array<Unread> = []
  readonly settings: Array<string> = []
  readonly #where: Where
  readonly #functions = new Set<string>()
  /** How often a variable gets a value in the text; one that does so once is known from there on. */
  readonly #assigned = new Map<string, number>()
  readonly #values = new Map<string, Literal>()
  #directories: ReadonlyArray<string>
  #commands = 0
  #depth = 0

  constructor(where: Where) {
    this.#where = where
    this.#directories = [where.cwd]
  }

  read(text: string, depth: number): void {
    if (depth > maximumDepth || isTooLong(text) || isTooComplex(text)) {
      this.unknown.push(unread(text, "it has more parts than are read"))
      return
    }
    const { error, script } = read(text)
    if (error !== undefined) this.unknown.push(unread(text, "it is not valid shell syntax"))
    const before = this.#depth
    this.#depth = depth
    this.#declare(script)
    this.#visit(script)
    this.#depth = before
  }

  /** Counts what gets a value, and notes the functions. */
  #declare(node: SyntaxNode | Script): void {
    const count = (name: string) => this.#assigned.set(name, (this.#assigned.get(name) ?? 0) + 1)
    if (node.type === "Assignment") count(node.name)
    else if (node.type === "For" || node.type === "Select") count(node.name.text)
    else if (node.type === "Function") this.#functions.add(node.name.value)
    else if (
      node.type === "Command" &&
      /^(?:read|mapfile|readarray|getopts|printf|unset)$/.test(node.name?.value ?? "")
    ) {
      for (const part of node.suffix) if (part.type === "Word") for (const _ of [1, 2]) count(part.value)
    }
    forEachChild(node as SyntaxNode, (child) => this.#declare(child))
  }

  #visit(node: SyntaxNode | Script): void {
    switch (node.type) {
      case "Command":
        return this.#command(node)
      case "For":
        return this.#for(node)
      case "Redirect":
      case "HereString":
      case "HereDoc":
        this.#redirection(node)
        break
      case "Assignment":
        this.#assignment(node)
        break
      case "TestUnary":
        if (/^-[vR]$/.test(node.operator)) this.unknown.push(unread(node.operator, "its operand can run code"))
        break
      case "TestBinary":
        if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(node.operator) && ![node.left, node.right].every(isNumeric))
          this.unknown.push(unread(node.operator, "what it compares can run code"))
        break
      case "ArithmeticCommand":
      case "ArithmeticFor":
        this.unknown.push(unread("((…))", "what it computes can run code"))
        break
      case "ArithmeticExpansion":
        if (/[A-Za-z_$`]/.test(node.text.slice(1)))
          this.unknown.push(unread(node.text, "what it computes can run code"))
        break
      case "ParameterExpansion":
        if (
          node.prefix === "!" ||
          node.index !== undefined ||
          node.operation?.type === "Transform" ||
          node.operation?.type === "Slice"
        ) {
          if (!/^\$\{#?\w+\[[@*]\]\}$|^\$\{\w+:\s?-?\d+(?::\d+)?\}$/.test(node.text))
            this.unknown.push(unread(node.text, "its expansion can run code"))
        }
        break
      case "Coproc":
      case "Select":
        this.unknown.push(unread(node.type === "Coproc" ? "coproc" : "select", "it is not read"))
        break
      default:
        break
    }
    this.#children(node)
  }

  #children(node: SyntaxNode | Script): void {
    forEachChild(node as SyntaxNode, (child) => this.#visit(child))
  }

  /** The body once for each word, as far as the words are known. */
  #for({ body, name, wordlist }: For): void {
    for (const word of wordlist ?? []) this.#visit(word)
    const words = wordlist?.flatMap((word) => this.#words(word) ?? [unknown])
    const known = name.text
    if (!/^[a-z][a-z0-9_]*$/i.test(known) || !isOwnName(known))
      this.unknown.push(unread(`for ${known}`, "the variable has a meaning of its own"))
    for (const word of words === undefined || words.length === 0 ? [unknown] : words) {
      if ((this.#assigned.get(known) ?? 0) <= 1) this.#values.set(known, word)
      this.#visit(body)
      if (this.#commands > maximumCommands) break
    }
    this.#values.set(known, unknown)
  }

  #assignment({ index, name, value }: Assignment): void {
    if (index !== undefined) this.unknown.push(unread(name, "an index can run code"))
    if (!isOwnName(name)) this.unknown.push(unread(`${name}=…`, "the variable changes what programs do"))
    if (value.type !== "Word") return
    const [word, ...more] = this.#words(value) ?? [unknown]
    const isKnown = word !== undefined && more.length === 0 && (this.#assigned.get(name) ?? 0) <= 1
    this.#values.set(name, isKnown ? word : unknown)
  }

  #redirection(redirect: Redirection): void {
    if (redirect.type !== "Redirect" || redirect.target === undefined) return
    const { operator, target } = redirect
    if (/^[<>]&$/.test(operator) && /^(?:\d+|-)$/.test(target.text)) return
    const [word = unknown] = this.#words(target) ?? [unknown]
    this.#touch({ word, op: operator === "<" ? "read" : "write", by: `${operator} ${target.text}` })
  }

  #touch(touch: Touch): void {
    this.touched.push({ ...touch, from: this.#directories })
  }

  /** What a word comes to: several for braces, none where it is not known. */
  #words(part: Word): ReadonlyArray<Literal> | undefined {
    if (part.text.includes("{")) {
      const several = expanded(part.text)
      if (several !== undefined) {
        const found = several.map((one) => literal(one, this.#lookup))
        return found.every((one) => one !== undefined) ? found : undefined
      }
      if (/^\{-?\d+\.\.-?\d+\}$/.test(part.text)) return [{ value: "1", bare: true, glob: false, tilde: false }]
    }
    const whole = /^"?(?<prefix>(?:\.\/)?)\$(?:(?<name>\w+)|\{(?<braced>\w+)\})"?$/.exec(part.text)?.groups
    const value = this.#values.get(whole?.["name"] ?? whole?.["braced"] ?? "")
    if (whole !== undefined && value !== undefined && (value.glob || value.tilde) && !value.value.includes(unknownPart))
      return [{ ...value, value: `${value.glob ? whole["prefix"] : ""}${value.value}` }]
    const word = literal(part.text, this.#lookup)
    return word === undefined ? undefined : [word]
  }

  readonly #lookup = (name: string, _: string, quoted: boolean): string | undefined => {
    const value = this.#values.get(name)
    const known =
      value === undefined
        ? this.#assigned.has(name)
          ? undefined
          : name === "TMPDIR"
            ? "/tmp"
            : this.#fixed(name)
        : value.glob || value.tilde || value.value.includes(unknownPart)
          ? undefined
          : value.value
    return known === undefined || !(quoted || /^[\w\-./,+%@^:=]+$/.test(known)) ? undefined : known
  }

  #fixed(name: string): string | undefined {
    const { variables = {} } = this.#where
    if (name === "PWD" && this.#directories.length > 1) return undefined
    return Object.hasOwn(variables, name) ? variables[name] : undefined
  }

  #command(node: Command): void {
    if (++this.#commands > maximumCommands) {
      if (this.#commands === maximumCommands + 1) this.unknown.push(unread("…", "it has more commands than are read"))
      return
    }
    const written = [...(node.name === undefined ? [] : [node.name]), ...node.suffix]
    for (const part of [...node.prefix, ...written]) {
      if (part.type !== "Assignment") this.#visit(part)
      else this.#children(part)
    }
    const given = node.prefix.filter((part) => part.type === "Assignment")
    const words = written.flatMap((part): ReadonlyArray<Literal> => {
      if (part.type === "Word") return this.#words(part) ?? [unknownWord(part.text)]
      if (part.type !== "Assignment") return []
      return [literal(part.text, this.#lookup) ?? unknownWord(part.text)]
    })
    if (words.length === 0) return given.forEach((one) => this.#assignment(one))
    for (const { name, value } of given) {
      const known = value.type === "Word" ? literal(value.text, this.#lookup)?.value : undefined
      if (!isHarmlessFor(name, known)) this.unknown.push(unread(`${name}=…`, "the variable changes what programs do"))
    }
    this.run(words, 0)
  }

  /** Takes a command to where it is known what it does. */
  run(words: ReadonlyArray<Literal>, depth: number): void {
    const [first, ...args] = words
    if (first === undefined) return
    const shown = words.map(({ value }) => value.replaceAll(unknownPart, "…")).join(" ")
    const stop = (reason: string): void => void this.unknown.push(unread(shown, reason))
    if (first.value.includes(unknownPart) || first.glob || first.tilde) return stop("it is known only at run time")
    if (depth > 8) return stop("it starts others too deeply")
    const name = first.value.replace(/^\/(?:usr\/)?(?:local\/)?s?bin\//, "")
    if (this.#functions.has(name)) return
    if (name === "cd") return this.#enter(args, stop)
    if (name === "eval") {
      return args.every(isKnown)
        ? this.read(args.map(({ value }) => value).join(" "), this.#depth + 1)
        : stop("what it runs is known only at run time")
    }
    const inner = launched(name, args)
    if (inner !== undefined) {
      if (isUnread(inner)) return stop(inner.reason)
      for (const { name: variable, value } of inner.variables ?? []) {
        if (!isHarmlessFor(variable, value)) stop(`${variable} changes what programs do`)
      }
      if (inner.text !== undefined) return this.read(inner.text, this.#depth + 1)
      return this.run(inner.words, depth + 1)
    }
    const done = this.#does(name, args)
    if (isUnread(done)) return stop(done.reason)
    const from = done.within === undefined ? this.#directories : this.#reached(done.within)
    for (const touch of done.touches) this.touched.push({ ...touch, by: shown, from })
    this.urls.push(...done.urls)
    this.settings.push(...(done.settings ?? []))
    for (const one of done.runs ?? []) this.run(one, depth + 1)
  }

  #does(name: string, args: ReadonlyArray<Literal>): Step | Unread {
    if (name === "test" || name === "[") return testDoes(name, args)
    if (name === "find") return findDoes(args)
    if (name === "git") return gitDoes(args)
    if (name === "tar") return tarDoes(args)
    const builtin = shellBuiltin(name, args)
    if (builtin !== undefined) return builtin
    const listed = Object.hasOwn(readOnlyCommands, name) ? fits(name, readOnlyCommands[name]!, args) : undefined
    if (listed !== undefined && !isUnread(listed)) return listed
    const ordinary = Object.hasOwn(ordinaryCommands, name) ? fits(name, ordinaryCommands[name]!, args) : undefined
    if (ordinary !== undefined && !isUnread(ordinary)) return ordinary
    return projectDoes(name, args) ?? ordinary ?? listed ?? unread(name, "it is not known what it does")
  }

  #reached(directory: Literal): ReadonlyArray<string> {
    return this.#directories.map((from) =>
      directory.tilde
        ? `${this.#where.home}${directory.value.slice(1)}`
        : directory.value.startsWith("/")
          ? directory.value
          : `${from}/${directory.value}`
    )
  }

  #enter(args: ReadonlyArray<Literal>, stop: (reason: string) => void): void {
    const [word = { ...plain, value: "~", tilde: true }, ...more] = args.filter(({ value }) => value !== "--")
    if (word.value === "-" && more.length === 0) return
    if (more.length > 0 || word.value.startsWith("-") || word.glob || !isKnown(word))
      return stop("where it goes is known only at run time")
    this.#touch({ word, op: "enter", by: `cd ${word.value}` })
    const entered = this.#reached(word)
    this.#directories = [...new Set([...this.#directories, ...entered])]
    if (this.#directories.length > maximumDirectories) {
      this.#directories = this.#directories.slice(-maximumDirectories)
      stop("it goes through more directories than are read")
    }
  }
}

const isNumeric = (word: Word): boolean => /^"?-?\d+"?$|^"?\$(?:[?#]|\{#\w+(?:\[@\])?\})"?$/.test(word.text)

const plain: Literal = { value: "", bare: true, glob: false, tilde: false }
const unknown: Literal = { ...plain, bare: false, value: unknownPart }

const isKnown = ({ value }: Literal): boolean => !value.includes(unknownPart)

/** A word of which no more is known than what stands in front; one that can become several, or none, is marked twice. */
const unknownWord = (text: string): Literal => {
  const [, front = "", quoted] = /^([\w./:@+-]*=?)("(?:[^"\\]|\\.|\$\([^)]*\))*")?/s.exec(text) ?? []
  const isOne = quoted !== undefined && front.length + quoted.length === text.length && !/\$@|\[@\]|\$\{@/.test(quoted)
  const isWhole =
    isOne || (text.startsWith('"') && text.endsWith('"') && !/\$@|\[@\]|\$\{@|"[^"()]*"\s*"/.test(text.slice(1, -1)))
  return { ...plain, bare: false, value: `${isWhole ? front : ""}${unknownPart}${isWhole ? "" : unknownPart}` }
}

/** What a listed use of a command touches; what the table does not say is not known. */
const fits = (
  name: string,
  command: ReadOnlyCommand & OrdinaryCommand,
  args: ReadonlyArray<Literal>
): Step | Unread => {
  const isSplit = args.some(({ value }) => value.includes(unknownPart + unknownPart))
  if (isSplit && command.raw !== true && name !== "printf")
    return unread(name, "some of its words are known only at run time")
  // None of their options does more than show, whatever a file is called.
  const given = args.map((word) => {
    if (word.glob && command.operands === "url" && /^[^*?]*\[[0-9a-f:.]+\][^*?[]*$/i.test(word.value))
      return { ...word, glob: false }
    return onlyShow.has(name) && word.glob && /^[*?[]/.test(word.value) ? { ...word, value: `./${word.value}` } : word
  })
  const found = usage(name, command, given)
  if (Either.isLeft(found)) return unread(name, "it is not known what it does with these words")
  const { operands, options, paths, urls, written } = found.right
  const isPlain = command.raw === true || name === "printf"
  if (!isPlain && command.operands === "text" && operands.some(({ value }) => value.startsWith(unknownPart)))
    return unread(name, "some of its words are known only at run time")
  const has = (some: string): boolean => some.split(" ").some((option) => options.has(option))
  const { fills, goesThrough, writes, writesHere } = command
  const last = operands.length > 1 && written.length === 0 ? operands.slice(-1) : []
  const changed = [
    ...written,
    ...(writes === "all"
      ? operands
      : writes === "first"
        ? operands.slice(0, 1)
        : writes === "last"
          ? last
          : writes !== undefined && has(writes.with)
            ? operands
            : []),
    ...(fills !== undefined && !(fills.with !== undefined && has(fills.with)) && written.length === 0 ? [here] : []),
    ...(writesHere !== undefined && operands.length < 2 ? [here] : [])
  ]
  const sources = paths.filter((path) => !changed.includes(path))
  const below = goesThrough === true || (goesThrough !== undefined && has(goesThrough))
  return does({
    touches: [
      ...sources.map((word): Touch => ({ word, op: "read", by: name, ...(below && { below }) })),
      ...changed.map((word): Touch => ({
        word,
        op: "write",
        by: name,
        ...((writes === "last" || writes === "all") && {
          named: written.length > 0 ? operands : operands.slice(0, -1)
        }),
        ...(command.removes === true && { removes: true }),
        ...((below || fills !== undefined) && { fills: true })
      }))
    ],
    urls: urls.map(({ value }) => value)
  })
}

const here: Literal = { ...plain, value: "." }

const onlyShow = new Set("ls cat head wc nl cut stat du file grep egrep fgrep md5sum sha1sum sha256sum".split(" "))

/** What `find` does: the tests that only look, and a command for what is found. */
const findDoes = (args: ReadonlyArray<Literal>): Step | Unread => {
  const paths = findPaths(args)
  if (!("decision" in paths)) return does({ touches: paths.map((word): Touch => ({ word, op: "list", by: "find" })) })
  const at = args.findIndex(({ value }) => /^-exec(?:dir)?$/.test(value))
  if (at >= 0) {
    const end = args.findIndex(({ value }, index) => index > at && (value === ";" || value === "+"))
    const before = findPaths(args.slice(0, at))
    const after = findPaths([...args.slice(0, 1), ...args.slice(end + 1)])
    if (end > at && !("decision" in before) && !("decision" in after)) {
      return does({
        touches: before.map((word): Touch => ({ word, op: "list", by: "find" })),
        runs: [args.slice(at + 1, end).map((word) => (word.value.includes("{}") ? unknown : word))]
      })
    }
  }
  const deletes = args.filter(({ value }) => value !== "-delete")
  const looked = findPaths(deletes)
  if (deletes.length < args.length && !("decision" in looked))
    return does({ touches: looked.map((word): Touch => ({ word, op: "write", by: "find", fills: true })) })
  return unread("find", "it is not known what it does with these words")
}
