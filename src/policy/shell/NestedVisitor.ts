import {
  type Command,
  forEachChild,
  type Function,
  parse,
  type Pipeline,
  type Redirected,
  type Redirection,
  type Statement,
  type SyntaxNode
} from "unbash"
import { deny, type Verdict } from "../Verdict.ts"
import { argumentsOf, valueOf, valuesOf, written } from "./CommandWords.ts"
import { connects, documents, isFedNothing, printed } from "./Documents.ts"
import { type Call, connection, denials, isDeniedTarget, takesConnection } from "./HardDenials.ts"
import { downloaded, evaluatesDownload, pipeDenied, reverseShell, Role, roles } from "./PipeRoles.ts"
import { InnerTexts } from "./InnerTexts.ts"
import { metadataHost } from "./MetadataHosts.ts"
import { protectedArguments } from "./ProtectedArguments.ts"
import { protectedWord } from "./ProtectedWords.ts"
import { type Reach, reachOf } from "./Reach.ts"
import type { Denied, Listener, Remark, Surroundings } from "./Reading.ts"
import { isTooComplex } from "./Source.ts"
import { containedStarts, destruction } from "./Destructive.ts"
import { isEmptying, redirected } from "./DestructiveFiles.ts"
import { startedTexts } from "./DestructivePrograms.ts"
import { handedTexts, variableTexts } from "./HandedTexts.ts"
import type { Scene } from "./Destruction.ts"
import { commandName, commandStarts, innerTexts, printers } from "./Wrappers.ts"

/** Nodes of the syntax tree plus words of command lines. */
const maximumNodes = 1024

/** Reads the commands of a text and of the texts within it, until one is denied. */
export class Visitor implements Denied {
  verdict: Verdict | undefined
  denied: string | undefined
  readonly #context: Surroundings
  readonly #remarks: Array<Remark> | undefined
  readonly #listener: Listener | undefined
  #contained = 0
  #piped = false
  readonly #directories: Array<string>
  readonly #reach: Reach
  readonly #functions: Array<string> = []
  #inBackground = 0
  #selfCalls = 0
  #nodes = 0
  readonly #texts = new InnerTexts()
  /** What the commands before in the same pipe are known to print. */
  #printed: Array<string> = []

  /** With `remarks`, what commands destroy is added there. */
  constructor(context: Surroundings, remarks?: Array<Remark>, listener?: Listener) {
    this.#context = context
    this.#remarks = remarks
    this.#listener = listener
    this.#contained = listener === undefined ? 0 : 1
    this.#directories = [context.cwd]
    this.#reach = reachOf(context, this.#directories)
  }

  get exhausted(): boolean {
    return this.#nodes > maximumNodes || this.#texts.exhausted
  }

  /** The roles in a pipe of everything in a node. */
  visit(node: SyntaxNode): number {
    if (this.verdict !== undefined || this.exhausted || ++this.#nodes > maximumNodes) return 0
    switch (node.type) {
      case "Word":
        return mayHoldCommand.test(node.text) ? this.#children(node) : 0
      case "Command":
        return this.#command(node)
      case "Pipeline":
        return this.#pipeline(node)
      case "Function":
        return this.#function(node)
      case "Redirect":
        if (node.target !== undefined) this.#redirect(node.target.value)
        return this.#children(node)
      case "Redirected":
        return this.#redirected(node)
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

  #redirected(node: Redirected): number {
    const mask = this.#children(node)
    if ((mask & Role.shell) !== 0 && connects(node.redirects)) this.#deny(reverseShell)
    this.#redirections(node.redirects, false)
    return mask
  }

  #pipeline(node: Pipeline): number {
    const selfCalls = this.#selfCalls
    const outside = this.#printed
    this.#printed = []
    let mask = 0
    const piped = this.#piped
    for (const [index, command] of node.commands.entries()) {
      this.#piped = piped || index > 0
      const stage = this.visit(command)
      this.#deny(pipeDenied(mask, stage))
      mask |= stage
    }
    this.#piped = piped
    this.#printed = outside
    if (node.commands.length > 1 && this.#selfCalls - selfCalls > 1) this.#deny(forkBomb)
    return mask
  }

  #command(node: Command): number {
    const words = argumentsOf(node)
    const masks = new Map<SyntaxNode, number>()
    forEachChild(node, (child) => {
      const found = this.visit(child)
      if (found !== 0) masks.set(child, found)
    })
    const given = both(masks.values())
    const input = both(node.redirects.map((redirect) => masks.get(redirect) ?? 0))
    const argv = valuesOf(words)
    this.#redirections(node.redirects, isEmptying(argv))
    this.#assigned(node)
    if (argv[0] === undefined) return given
    if (this.#functions.includes(argv[0]) || argv[0] === "$0") {
      this.#selfCalls++
      if (this.#inBackground > 0) this.#deny(forkBomb)
    }
    const starts = commandStarts(argv)
    if (connects(node.redirects) && starts.some((start) => takesConnection(commandName(argv[start] ?? ""))))
      this.#deny(reverseShell)
    let own = 0
    for (const start of starts) {
      const candidate = argv.slice(start)
      this.#nodes += candidate.length
      if (this.verdict !== undefined || this.exhausted) return own | given
      own |= this.#candidate(candidate)
      this.#remark(candidate, node.redirects, () => written(words, argv, start))
      const ofWords = words.length === argv.length ? words.slice(start).map((word) => masks.get(word) ?? 0) : []
      if (evaluatesDownload(candidate, ofWords, given)) this.#deny(downloaded)
    }
    if (pipeDenied(input, own) === downloaded || pipeDenied(own, input) === downloaded) this.#deny(downloaded)
    return own | given | this.#document(argv, documents(node.redirects), own)
  }

  /** Reads the text that a shell is given to run, or keeps it for the commands behind the pipe. */
  #document(argv: ReadonlyArray<string>, given: ReadonlyArray<string>, own: number): number {
    if ((own & Role.shell) === 0) {
      this.#printed.push(...given, ...printed(argv), ...(isEmptying(argv) ? [""] : []))
      return 0
    }
    return this.#readAloud([...given, ...this.#printed.splice(0)])
  }

  /** Notes what the programs destroy that variables in front of a command name. */
  #assigned(node: Command): void {
    if (this.#remarks === undefined) return
    const texts = variableTexts(node.prefix.flatMap((part) => (part.type === "Assignment" ? [valueOf(part)] : [])))
    if (texts.length === 0) return
    this.#contained++
    this.#read(texts)
    this.#contained--
  }

  /** Notes what a command destroys, and what it has run in a container or by a program in another language. */
  #remark(argv: ReadonlyArray<string>, redirects: ReadonlyArray<Redirection>, command: () => string): void {
    if (this.#remarks === undefined) return
    const call: Call = { name: commandName(argv[0] ?? ""), args: argv.slice(1) }
    const input = [...documents(redirects), ...(isFedNothing(redirects) ? [""] : this.#printed)]
    const reason = printers.has(call.name) ? undefined : destruction(call, { ...this.#scene, input })
    if (reason !== undefined) this.#remarks.push({ command: command(), reason })
    const started = [...startedTexts(call, input), ...handedTexts(call)]
    const contained = containedStarts(call.name, argv)
    if (started.length + contained.length === 0) return
    this.#contained++
    this.#read(started)
    for (const start of contained) {
      if (this.exhausted || (this.#nodes += argv.length - start) > maximumNodes) break
      const inner = argv.slice(start)
      for (const at of commandStarts(inner)) {
        const candidate = inner.slice(at)
        this.#listener?.command(candidate)
        const found = destruction(
          { name: commandName(candidate[0]!), args: candidate.slice(1) },
          { ...this.#scene, input: [] }
        )
        if (found !== undefined) this.#remarks.push({ command: candidate.join(" "), reason: found })
        this.#readAloud(innerTexts(commandName(candidate[0]!), candidate.slice(1)))
      }
    }
    this.#contained--
  }

  #redirections(redirects: ReadonlyArray<Redirection>, isEmpty: boolean): void {
    if (this.#remarks === undefined) return
    for (const redirect of redirects) {
      if (redirect.type !== "Redirect" || redirect.target === undefined) continue
      const reason = redirected(redirect.operator, redirect.target.value, isEmpty, this.#scene)
      if (reason !== undefined) this.#remarks.push({ command: `${redirect.operator} ${redirect.target.text}`, reason })
    }
  }

  get #scene(): Scene {
    const { isIgnored, roots } = this.#context
    return { reach: this.#reach, roots, isIgnored, input: [], piped: this.#piped }
  }

  #candidate(argv: ReadonlyArray<string>): number {
    this.#listener?.command(argv)
    const call: Call = { name: commandName(argv[0] ?? ""), args: argv.slice(1) }
    if (entersDirectory.has(call.name) && call.args[0] !== undefined) this.#enter(call.args.at(-1)!)
    const denial = printers.has(call.name) ? undefined : denials.find(({ denies }) => denies(call, this.#reach))
    if (denial !== undefined) this.#deny(deny(denial.id, denial.reason), argv.join(" "))
    for (const verdict of protectedArguments(call)) this.#deny(verdict, [call.name, ...call.args].join(" "))
    return roles(call, this.#reach) | this.#readAloud(innerTexts(call.name, call.args))
  }

  /** Texts that are run as they are. */
  #readAloud(texts: ReadonlyArray<string>): number {
    if (this.#listener !== undefined) texts.forEach(this.#listener.text)
    return this.#read(texts)
  }

  /** Words and documents that are shell text themselves, such as that of `sh -c`. */
  #read(texts: ReadonlyArray<string>): number {
    const read = (text: string) => (isTooComplex(text) ? 0 : this.visit(parse(text)))
    return this.#texts.read(texts, read, () => this.exhausted)
  }

  #redirect(target: string): void {
    const host = connection.exec(target)?.[1]
    if (host !== undefined && metadataHost(host, true)) this.#deny(reachesMetadata)
    if (isDeniedTarget(target)) this.#deny(deny("shell/raw-device", "It writes directly to a disk or to memory."))
    this.#deny(protectedWord(target))
  }

  #enter(target: string): void {
    if (this.#directories.length > 4) return
    const home = target.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/|$)/, this.#reach.home)
    this.#directories.push(home.startsWith("/") ? home : `${this.#directories.at(-1)}/${home}`)
  }

  /** What is denied here may be wanted in a container; there it is only noted. */
  #deny(verdict: Verdict | undefined, command?: string): void {
    if (verdict === undefined) return
    if (this.#contained > 0) this.#remarks?.push({ command: command ?? "", reason: verdict.reason.replace(/\.$/, "") })
    else if (this.verdict === undefined) {
      this.verdict = verdict
      this.denied = command
    }
  }
}

const forkBomb = deny("shell/fork-bomb", "It defines a function that starts copies of itself.")
const reachesMetadata = deny("shell/cloud-metadata", "It reaches the machine's metadata service.")
const mayHoldCommand = /[$`(]/
const entersDirectory = new Set(["cd", "pushd"])

const both = (masks: Iterable<number>): number => {
  let mask = 0
  for (const one of masks) mask |= one
  return mask
}
