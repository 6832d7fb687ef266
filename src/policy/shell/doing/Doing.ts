import type { AndOr, Assignment, Command, For, Function, If, Pipeline, Redirection, Script, SyntaxNode } from "unbash"
import { forEachChild } from "unbash"
import type { Literal } from "../Literal.ts"
import { isTooComplex, isTooLong, read } from "../Source.ts"
import { declarers } from "../Wrappers.ts"
import type { ShellContext } from "../ShellContext.ts"
import { isHarmlessFor, isOwnName, loadedFrom } from "./Environment.ts"
import { Functions } from "./Functions.ts"
import { Directories } from "./Directories.ts"
import { hazardOf } from "./hazardOf.ts"
import { fallenBack } from "./fallenBack.ts"
import { isKnownProgram } from "./KnownPrograms.ts"
import { launched } from "./Launchers.ts"
import { programDoes } from "./programDoes.ts"
import { isQuiet, type Printed, printedBy, xargsShows } from "./Handed.ts"
import { does, isUnread, type Step, type Touch, unread, type Unread, unknownPart } from "./Step.ts"
import { isKnown, plain, unknown } from "./Unknown.ts"
import { knownDoes, systemProgram } from "./systemProgram.ts"
import type { Doing } from "./Touched.ts"
import { Sequence } from "./Sequence.ts"
import { isListText, Variables } from "./Variables.ts"

const maximumCommands = 256
const maximumDepth = 3

type Where = Pick<ShellContext, "cdPath" | "cwd" | "home" | "resolve" | "variables">

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
  readonly urls: Array<string> = []
  readonly unknown: Array<Unread> = []
  readonly settings: Array<string> = []
  readonly git: Array<Doing["git"][number]> = []
  readonly texts: Array<string> = []
  readonly #sequence = new Sequence()
  readonly touched = this.#sequence.touched
  readonly #functions = new Functions()
  /** Those whose bodies are being read. */
  readonly #calling = new Set<Function>()
  readonly #variables: Variables
  readonly #directories: Directories
  #commands = 0
  #depth = 0
  /** Names of files that a command is given, and those that it prints. */
  #fed: Printed | undefined
  #printed: Printed | undefined

  constructor(where: Where) {
    this.#variables = new Variables(where.variables)
    this.#directories = new Directories(where)
  }

  read(text: string, depth: number): void {
    if (depth > maximumDepth || isTooLong(text) || isTooComplex(text))
      return void this.unknown.push(unread(text, "it has more parts than are read"))
    this.texts.push(text)
    const { error, script } = read(text)
    if (error !== undefined) this.unknown.push(unread(text, "it is not valid shell syntax"))
    const before = this.#depth
    this.#depth = depth
    this.#variables.declare(script)
    this.#functions.declare(script)
    this.#children(script)
    for (const uncalled of this.#functions.unread) this.#call(uncalled)
    this.#depth = before
  }

  /** Reads the text of a shell that has neither the functions nor the variables of this one. */
  #apart(text: string): void {
    this.#variables.apart(() => this.#functions.apart(() => this.read(text, this.#depth + 1)))
  }

  /** Reads what may not run, or runs in a process of its own, so that nothing behind it relies on it. */
  #perhaps(read: () => void): void {
    this.#variables.within(() => this.#functions.within(read))
  }

  /** The same, where what stands behind may run before. */
  #inAnyOrder(read: () => void): void {
    this.#sequence.inAnyOrder(() => this.#perhaps(read))
  }

  /** What a function does from where it is called. */
  #call(called: Function): void {
    if (this.#calling.has(called)) return
    this.#functions.noteRead(called)
    this.#calling.add(called)
    this.#inAnyOrder(() => this.#children(called))
    this.#calling.delete(called)
  }

  #visit(node: SyntaxNode | Script): void {
    switch (node.type) {
      case "Command":
        return this.#command(node)
      case "For":
        return this.#inAnyOrder(() => this.#for(node))
      case "Function":
        return this.#functions.define(node.name.value)
      case "Statement":
        if (node.background === true) this.#sequence.atOnce()
        return node.background === true ? this.#perhaps(() => this.#children(node)) : this.#children(node)
      case "Pipeline":
        return node.commands.length > 1 ? this.#inAnyOrder(() => this.#pipeline(node)) : this.#children(node)
      case "AndOr":
        return this.#list(node)
      case "If":
        return this.#if(node)
      case "ArithmeticFor":
        this.#hazard(node)
        return this.#inAnyOrder(() => this.#children(node))
      case "Script":
      case "Subshell":
      case "Redirected":
      case "CaseItem":
        return this.#perhaps(() => this.#children(node))
      case "While":
        return this.#inAnyOrder(() => this.#children(node))
      case "Redirect":
      case "HereString":
      case "HereDoc":
        this.#redirection(node)
        break
      case "Assignment":
        this.#assignment(node)
        return this.#children(node)
      default:
        break
    }
    this.#hazard(node)
    this.#children(node)
  }

  #hazard(node: SyntaxNode | Script): void {
    const hazard = hazardOf(node, this.#variables.numbers)
    if (hazard !== undefined) this.unknown.push(hazard)
  }

  #children(node: SyntaxNode | Script): void {
    forEachChild(node as SyntaxNode, (child) => this.#visit(child))
  }

  /** Each command with the names of files that the one before it prints. */
  #pipeline({ commands, operators }: Pipeline): void {
    let printed: Printed | undefined
    for (const [at, one] of commands.entries()) {
      const isSimple = one.type === "Command"
      this.#fed = isSimple && operators[at - 1] === "|" ? printed : undefined
      this.#printed = undefined
      this.#perhaps(() => this.#visit(one))
      printed = isSimple ? this.#printed : undefined
    }
  }

  /** Behind `&&` alone, what stands there has run if the next command runs. */
  #list({ commands, operators }: AndOr): void {
    const [first, ...others] = commands
    if (first !== undefined) this.#visit(first)
    if (operators.includes("||")) for (const one of others) this.#perhaps(() => this.#visit(one))
    else this.#perhaps(() => others.forEach((one) => this.#visit(one)))
  }

  #if(node: If): void {
    this.#visit(node.clause)
    for (const branch of [node.then, ...node.elif, ...(node.else === undefined ? [] : [node.else])])
      this.#perhaps(() => this.#visit(branch))
  }

  /** The body once for each word, as far as the words are known. */
  #for({ body, name, wordlist }: For): void {
    for (const word of wordlist ?? []) this.#visit(word)
    const words = wordlist?.flatMap((word) => this.#variables.words(word) ?? [unknown])
    const known = name.text
    if (!/^[a-z][a-z0-9_]*$/i.test(known) || !isOwnName(known))
      this.unknown.push(unread(`for ${known}`, "the variable has a meaning of its own"))
    for (const word of words === undefined || words.length === 0 ? [unknown] : words) {
      this.#variables.set(known, word)
      this.#visit(body)
      if (this.#commands > maximumCommands) break
    }
    this.#variables.forget(known)
  }

  #assignment(assignment: Assignment): void {
    this.#hazard(assignment)
    const { name, value } = assignment
    if (!isOwnName(name)) this.unknown.push(unread(`${name}=…`, "the variable changes what programs do"))
    if (value.type !== "Word") return
    const [word, ...more] = this.#variables.words(value) ?? [unknown]
    this.#variables.set(name, word !== undefined && more.length === 0 ? word : unknown)
  }

  #redirection(redirect: Redirection): void {
    if (redirect.type !== "Redirect" || redirect.target === undefined) return
    const { operator, target } = redirect
    if (/^[<>]&$/.test(operator) && /^(?:\d+|-)$/.test(target.text)) return
    const [word = unknown] = this.#variables.words(target) ?? [unknown]
    this.#touch({ word, op: operator === "<" ? "read" : "write", by: `${operator} ${target.text}` })
  }

  #touch(touch: Touch, from = this.#directories.all): void {
    this.#sequence.add(touch, from)
  }

  #command(node: Command): void {
    if (this.#commands++ === maximumCommands) this.unknown.push(unread("…", "it has more commands than are read"))
    if (this.#commands > maximumCommands) return
    const fed = node.redirects.every(({ operator }) => operator.startsWith(">")) ? this.#fed : undefined
    this.#fed = undefined
    const written = [...(node.name === undefined ? [] : [node.name]), ...node.suffix]
    for (const part of [...node.prefix, ...written]) {
      if (part.type !== "Assignment") this.#visit(part)
      else this.#children(part)
    }
    const given = node.prefix.filter((part) => part.type === "Assignment")
    const words = this.#variables.wordsOf(node.name?.text, written)
    // A redirection that fails can keep the variable from being set.
    const assign = () => given.forEach((one) => this.#assignment(one))
    if (words.length === 0) return node.redirects.length === 0 ? assign() : this.#perhaps(assign)
    for (const { name, value } of given) {
      const known = value.type === "Word" ? this.#variables.valueOf(value.text)?.value : undefined
      if (!isHarmlessFor(name, known, words[0]?.value))
        this.unknown.push(unread(`${name}=…`, "the variable changes what programs do"))
      for (const place of loadedFrom(name, known)) this.#touch({ word: place, op: "enter", by: `${name}=…` })
    }
    this.run(words, 0, fed)
    const [{ value: name } = unknown, ...args] = words
    if (node.redirects.every(isQuiet) && !this.#functions.isInForce(name)) this.#printed = printedBy(name, args, fed)
  }

  /** Takes a command to where it is known what it does; what it reads are names of files, where it is told which. */
  run(words: ReadonlyArray<Literal>, depth: number, fed?: Printed): void {
    const [first, ...args] = words
    if (first === undefined) return
    const shown = words.map(({ value }) => value.replaceAll(unknownPart, "…")).join(" ")
    const stop = (reason: string): void => void this.unknown.push(unread(shown, reason))
    if (first.value.includes(unknownPart) || first.glob || first.tilde) return stop("it is known only at run time")
    if (depth > 8) return stop("it starts others too deeply")
    const name = systemProgram(first.value, this.#directories.reached({ ...plain, value: first.value })) ?? first.value
    if (depth === 0) {
      for (const called of this.#functions.called(first.value)) this.#call(called)
      if (this.#functions.isInForce(first.value) && !isKnownProgram(first.value)) return
    }
    if (declarers.has(name) && args.some((word) => isListText(word, this.#variables)))
      return stop("what it makes a list of can run code")
    if (name === "unset") for (const { value } of args) this.#functions.undefine(value)
    if (name === "cd") return this.#enter(args, stop)
    if (name === "eval") {
      return args.every(isKnown)
        ? this.#perhaps(() => this.read(args.map(({ value }) => value).join(" "), this.#depth + 1))
        : stop("what it runs is known only at run time")
    }
    const fallen = fallenBack(name, args)
    if (fallen !== undefined) {
      const before = programDoes(name, fallen.before)
      return isUnread(before) ? stop(before.reason) : this.run(fallen.words, depth + 1)
    }
    const shows = name === "xargs" && fed !== undefined ? xargsShows(args, fed) : undefined
    if (shows !== undefined) return this.#take(shows, shown, depth)
    const inner = launched(name, args)
    if (inner !== undefined) {
      if (isUnread(inner)) return stop(inner.reason)
      for (const { name: variable, value } of inner.variables ?? [])
        if (!isHarmlessFor(variable, value)) stop(`${variable} changes what programs do`)
      if (inner.fetches !== undefined) this.#touch({ word: inner.fetches, op: "fetch", by: shown })
      if (inner.text !== undefined) return this.#apart(inner.text)
      return this.run(inner.words, depth + 1, fed)
    }
    const done = knownDoes(name, args)
    if (isUnread(done)) stop(done.reason)
    this.#take(isUnread(done) ? (done.does ?? does({})) : done, shown, depth)
  }

  #take({ git, runs = [], settings = [], touches, urls, within }: Step, by: string, depth: number): void {
    const from = within === undefined ? this.#directories.all : this.#directories.reached(within)
    if (within !== undefined) this.#touch({ word: within, op: "enter", by })
    for (const touch of touches) this.#touch({ ...touch, by }, from)
    if (git !== undefined) this.git.push({ ...git, from })
    this.urls.push(...urls)
    this.settings.push(...settings)
    for (const one of runs) this.run(one, depth + 1)
  }

  #enter(args: ReadonlyArray<Literal>, stop: (reason: string) => void): void {
    const entered = this.#directories.enter(args)
    for (const word of entered.words) this.#touch({ word, op: "enter", by: `cd ${entered.words[0]!.value}` })
    if (entered.reason !== undefined) stop(entered.reason)
    if (this.#directories.all.length > 1) this.#variables.forget("PWD")
  }
}
