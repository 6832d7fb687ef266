import {
  type Command,
  type CommandArgument,
  forEachChild,
  type Function,
  parse,
  type Pipeline,
  type Redirection,
  type Statement,
  type SyntaxNode
} from "unbash"
import { deny, type Verdict } from "../Verdict.ts"
import { type Call, denials, isDeniedTarget } from "./HardDenials.ts"
import { downloaded, pipeDenied, reverseShell, Role, roles } from "./PipeRoles.ts"
import { protectedWord } from "./ProtectedWords.ts"
import { type Reach, reachOf } from "./Reach.ts"
import type { ShellContext } from "./ShellContext.ts"
import type { Source } from "./Source.ts"
import { isTooComplex } from "./Source.ts"
import {
  commandName,
  commandStarts,
  evaluators,
  isInterpreter,
  matchers,
  printers,
  shells,
  innerTexts
} from "./Wrappers.ts"

/** Nodes of the syntax tree plus words of command lines. */
const maximumNodes = 1024
const maximumTextDepth = 3

/** What the hard denials say of every command in a text, however deep it is nested. */
export interface Denied {
  readonly verdict: Verdict | undefined
  /** The text is larger than what is read of it. */
  readonly exhausted: boolean
}

export const hardDenied = (source: Source, context: ShellContext): Denied => {
  const visitor = new Visitor(context)
  visitor.visit(source.script)
  return visitor
}

class Visitor implements Denied {
  verdict: Verdict | undefined
  exhausted = false
  readonly #directories: Array<string>
  readonly #reach: Reach
  readonly #functions: Array<string> = []
  #inBackground = 0
  #selfCalls = 0
  #nodes = 0
  #textDepth = 0

  constructor(context: ShellContext) {
    this.#directories = [context.cwd]
    this.#reach = reachOf(context, this.#directories)
  }

  /** The roles in a pipe of all that a node holds. */
  visit(node: SyntaxNode): number {
    if (this.verdict !== undefined || this.exhausted) return 0
    if (++this.#nodes > maximumNodes) {
      this.exhausted = true
      return 0
    }
    switch (node.type) {
      case "Command":
        return this.#command(node)
      case "Pipeline":
        return this.#pipeline(node)
      case "Function":
        return this.#function(node)
      case "Statement":
        return node.background === true ? this.#background(node) : this.#children(node)
      default:
        return this.#children(node)
    }
  }

  #children(node: SyntaxNode): number {
    let mask = 0
    forEachChild(node, (child) => {
      mask |= this.visit(child)
    })
    return mask
  }

  #function(node: Function): number {
    this.#functions.push(node.name.value)
    const mask = this.visit(node.body)
    this.#functions.pop()
    return mask
  }

  #background(node: Statement): number {
    this.#inBackground++
    const mask = this.#children(node)
    this.#inBackground--
    return mask
  }

  #pipeline(node: Pipeline): number {
    const selfCalls = this.#selfCalls
    let mask = 0
    for (const command of node.commands) {
      const stage = this.visit(command)
      this.#deny(pipeDenied(mask, stage))
      mask |= stage
    }
    if (node.commands.length > 1 && this.#selfCalls - selfCalls > 1) this.#deny(forkBomb)
    return mask
  }

  #command(node: Command): number {
    const words = [...(node.name === undefined ? [] : [node.name]), ...node.suffix.filter(isArgument)]
    const masks = new Map<SyntaxNode, number>()
    let mask = 0
    const remember = (child: SyntaxNode): void => {
      const found = this.visit(child)
      masks.set(child, found)
      mask |= found
    }
    forEachChild(node, remember)
    const argv = words.flatMap((word) => expanded(word.text) ?? [valueOf(word)])
    for (const redirect of node.redirects) {
      if (redirect.type === "Redirect" && redirect.target !== undefined) this.#redirect(argv, redirect.target.value)
    }
    if (argv[0] === undefined) return mask
    if (this.#functions.includes(argv[0])) {
      this.#selfCalls++
      if (this.#inBackground > 0) this.#deny(forkBomb)
    }
    for (const start of commandStarts(argv)) {
      const candidate = argv.slice(start)
      if ((this.#nodes += candidate.length) > maximumNodes) this.exhausted = true
      if (this.verdict !== undefined || this.exhausted) return mask
      mask |= this.#candidate(candidate)
      const given = words.length === argv.length ? words.slice(start).map((word) => masks.get(word) ?? 0) : []
      if (evaluatesDownload(candidate, given, mask)) this.#deny(downloaded)
    }
    return mask
  }

  #candidate(argv: ReadonlyArray<string>): number {
    const call: Call = { name: commandName(argv[0] ?? ""), args: argv.slice(1) }
    if (call.name === "cd" && call.args[0] !== undefined) this.#enter(call.args.at(-1)!)
    const denial = printers.has(call.name) ? undefined : denials.find(({ denies }) => denies(call, this.#reach))
    this.#deny(denial === undefined ? undefined : deny(denial.id, denial.reason))
    this.#words(call)
    return roles(call) | this.#texts(call)
  }

  /** Names of protected files, wherever they stand; ssh may be told which key to use. */
  #words({ args, name }: Call): void {
    if (printers.has(name) || usesKeys.has(name)) return
    const pattern = matchers.has(name) ? args.find((arg) => !arg.startsWith("-")) : undefined
    for (const [index, arg] of args.entries()) {
      if (arg === pattern || (args[index - 1] === "-i" && copiesWithKey.has(name))) continue
      this.#deny(protectedWord(arg))
    }
  }

  /** Words that are shell text themselves, such as that of `sh -c`. */
  #texts(call: Call): number {
    if (this.#textDepth >= maximumTextDepth) return 0
    let mask = 0
    this.#textDepth++
    for (const text of innerTexts(call.name, call.args)) {
      if (/[\s;|&]/.test(text) && !isTooComplex(text)) mask |= this.visit(parse(text))
    }
    this.#textDepth--
    return mask
  }

  #redirect(argv: ReadonlyArray<string>, target: string): void {
    const names = commandStarts(argv).map((start) => commandName(argv[start] ?? ""))
    if (/^\/dev\/(?:tcp|udp)\//.test(target) && names.some((name) => name === "exec" || isInterpreter(name))) {
      this.#deny(reverseShell)
    }
    if (isDeniedTarget(target)) this.#deny(deny("shell/raw-device", "It writes below the file system."))
    this.#deny(protectedWord(target))
  }

  #enter(target: string): void {
    if (this.#directories.length > 4) return
    const home = target.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, this.#reach.home)
    this.#directories.push(home.startsWith("/") ? home : `${this.#directories.at(-1)}/${home}`)
  }

  #deny(verdict: Verdict | undefined): void {
    this.verdict ??= verdict
  }
}

const forkBomb = deny("shell/fork-bomb", "It defines a function that starts copies of itself.")
const usesKeys = new Set("ssh ssh-add ssh-copy-id ssh-keygen chmod".split(" "))
const copiesWithKey = new Set(["scp", "sftp", "rsync"])

/** Whether an interpreter is given a program by a substitution that downloads or decodes. */
const evaluatesDownload = (argv: ReadonlyArray<string>, masks: ReadonlyArray<number>, all: number): boolean => {
  const name = commandName(argv[0] ?? "")
  if ((masks[0] ?? 0) & Role.source) return true
  if (!isInterpreter(name) && !evaluators.has(name)) return false
  const program = argv.findIndex((word, index) => index > 0 && !/^[-+]/.test(word))
  if (program < 0) return (all & Role.source) !== 0
  return ((masks[program] ?? 0) & Role.source) !== 0 && (shells.has(name) || evaluators.has(name) || program > 1)
}

const isArgument = (part: CommandArgument | Redirection): part is CommandArgument =>
  part.type === "Word" || part.type === "Assignment"

const valueOf = (word: CommandArgument): string => {
  if (word.type === "Word") return word.value
  return word.value.type === "Word" ? `${word.name}=${word.value.value}` : word.text
}

/** The words of `a{b,c}d`, so that braces hide nothing; only the simplest form is expanded. */
const expanded = (text: string): ReadonlyArray<string> | undefined => {
  if (text.length > 256 || !text.includes("{")) return undefined
  const found = /^([^{}'"$`\\]*)\{([^{}'"$`\\]*,[^{}'"$`\\]*)\}([^{}'"$`\\]*)$/.exec(text)
  return found?.[2]?.split(",").map((part) => `${found[1]}${part}${found[3]}`)
}
