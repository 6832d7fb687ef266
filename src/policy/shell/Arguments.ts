import * as Either from "effect/Either"
import { ask, type Verdict } from "../Verdict.ts"
import type { Literal } from "./Literal.ts"
import type { Kind, ReadOnlyCommand } from "./ReadOnlyCommand.ts"
import { onlyShow } from "./OnlyShow.ts"
import { memo } from "../../system/memo.ts"
import { excerpt } from "../../text/excerpt.ts"

/** What a search leaves out, by the pattern of its name. */
export interface Left {
  readonly pattern: string
  readonly of: "file" | "directory" | "both"
}

/** How a command line uses a listed command. */
export interface Usage {
  /** Names as written in the table, e.g. `-r` for each letter of a bundle. */
  readonly options: ReadonlySet<string>
  /** Values of options that are globs. */
  readonly globs: ReadonlyArray<string>
  /** Patterns of names that are left out. */
  readonly left: ReadonlyArray<Left>
  /** Values of options that are types of files. */
  readonly types: ReadonlyArray<string>
  /** What is read, in the order given. */
  readonly paths: ReadonlyArray<Literal>
  /** Values and operands of the kinds `write` and `url`. */
  readonly written: ReadonlyArray<Literal>
  readonly urls: ReadonlyArray<Literal>
  /** Values of the kind `data`, by their options. */
  readonly sent: ReadonlyArray<readonly [option: string, value: string]>
  /** What is no option and no lead, in the order given. */
  readonly operands: ReadonlyArray<Literal>
  /** Whether what is read is all of it said by options. */
  readonly bare: boolean
}

type Takes = Kind | "nothing" | "optional"

/** A pattern whose every match is the same option. */
const namesOption = /^--[a-z][a-z-]*=/
const number = /^[+-]?\d{1,15}[a-zA-Z]{0,3}$/

/** Reads a synopsis such as `-a -n=number --color[=text]`. */
const synopsis = (options: string): ReadonlyMap<string, Takes> =>
  new Map(
    options.split(/\s+/).flatMap((word): ReadonlyArray<readonly [string, Takes]> => {
      if (word === "") return []
      if (word.endsWith("]")) return [[word.slice(0, word.indexOf("[")), "optional"]]
      const [name, kind] = word.split("=")
      return [[name ?? "", (kind ?? "nothing") as Takes]]
    })
  )

const takes = memo(new WeakMap<ReadOnlyCommand, ReadonlyMap<string, Takes>>(), ({ options }) => synopsis(options))

/** Matches the arguments of a command against its entry in the table; what the entry does not list is a reason to ask. */
export const usage = (
  name: string,
  command: ReadOnlyCommand,
  args: ReadonlyArray<Literal>
): Either.Either<Usage, Verdict> => {
  const reader = new Reader(name, command)
  const refused = reader.read(args) ?? reader.finish()
  return refused === undefined ? Either.right(reader) : Either.left(refused)
}

const unreadLead = (name: string): Verdict =>
  ask("shell/operand", `The ${name} script, format or pattern may do more than read.`)

/** Why a pattern is asked about that stands where options do. */
export const mayBeFlag = (pattern: string, who: string): Verdict =>
  ask(
    "shell/glob",
    `A file that matches ${excerpt(pattern)} may be named like an option, which ${who} read as one; write \`./\` or \`--\` before it.`
  )

class Reader implements Usage {
  readonly options = new Set<string>()
  globs: Array<string> = []
  left: Array<Left> = []
  readonly types: Array<string> = []
  readonly paths: Array<Literal> = []
  readonly written: Array<Literal> = []
  readonly urls: Array<Literal> = []
  readonly sent: Array<readonly [option: string, value: string]> = []
  bare = true
  #opensOthers = false
  readonly #name: string
  readonly #command: ReadOnlyCommand
  readonly #takes: ReadonlyMap<string, Takes>
  readonly #operands: Array<Literal & { readonly afterEnd: boolean }> = []

  get operands(): ReadonlyArray<Literal> {
    return this.#operands
  }

  constructor(name: string, command: ReadOnlyCommand) {
    this.#name = name
    this.#command = command
    this.#takes = takes(command)
  }

  read(args: ReadonlyArray<Literal>): Verdict | undefined {
    let ended = this.#command.raw === true
    for (let at = 0; at < args.length; at++) {
      const arg = args[at]!
      if (ended || !arg.value.startsWith("-") || arg.value === "-") {
        this.#operands.push({ ...arg, afterEnd: ended })
        continue
      }
      if (arg.glob && !namesOption.test(arg.value)) return this.#mayBeFlag(arg)
      if (this.#isOrdered && this.#operands.length > 0) return this.#late(arg)
      if (arg.value === "--") {
        ended = true
        continue
      }
      const next = args[at + 1]
      const read = arg.value.startsWith("--") ? this.#long(arg, next) : this.#short(arg.value, next)
      if (read === "next") at++
      else if (read === "pair") {
        const pair = args.slice(at + 1, at + 3)
        if (pair.length < 2 || pair.some((word) => word.glob || word.tilde))
          return ask("shell/flag-not-listed", `${arg.value} of ${this.#name} needs a name and a value.`)
        at += 2
      } else if (read !== undefined) return read
    }
    return undefined
  }

  #long({ glob, value: text }: Literal, next: Literal | undefined): Verdict | "next" | "pair" | undefined {
    const sign = text.indexOf("=")
    const name = sign < 0 ? text : text.slice(0, sign)
    const kind = this.#takes.get(name)
    if (kind === undefined) return this.#notListed(name)
    this.options.add(name)
    if (kind === "optional") return undefined
    if (kind === "pair") return sign < 0 ? kind : this.#notListed(text)
    if (kind === "nothing") return sign < 0 ? undefined : this.#notListed(text)
    if (sign < 0) return this.#next(name, kind, next)
    const value: Literal = { value: text.slice(sign + 1), bare: false, glob, tilde: false }
    return glob && kind !== "glob" && kind !== "only"
      ? this.#mayBeFlag(value)
      : this.#value(name, kind, { ...value, glob: false })
  }

  /** Whether an option behind an operand may be none: it names a file to write or goes to the program that runs. */
  get #isOrdered(): boolean {
    return this.#command.ordered === true || this.#command.needs !== undefined
  }

  #short(text: string, next: Literal | undefined): Verdict | "next" | undefined {
    return this.#command.bundles === false && text.length > 2 ? this.#glued(text) : this.#bundle(text, next)
  }

  #bundle(text: string, next: Literal | undefined): Verdict | "next" | undefined {
    if (this.#command.digits === true && /^-\d+$/.test(text)) return undefined
    for (let at = 1; at < text.length; at++) {
      const name = `-${text.charAt(at)}`
      const kind = this.#takes.get(name)
      if (kind === undefined) return this.#notListed(text.length > 2 ? `${name} in ${text}` : name)
      this.options.add(name)
      if (kind === "optional") return undefined
      if (kind === "nothing") continue
      if (at === text.length - 1) return this.#next(name, kind, next)
      // Some parsers take the sign for a part of the value, and some do not.
      if (kind !== "text" && kind !== "data" && text.charAt(at + 1) === "=") return this.#glued(text)
      return this.#value(name, kind, { value: text.slice(at + 1), bare: false, glob: false, tilde: false })
    }
    return undefined
  }

  #next(option: string, kind: Kind, next: Literal | undefined): Verdict | "next" {
    if (next === undefined) return ask("shell/flag-not-listed", `${option} of ${this.#name} needs a value.`)
    // Without GNU's reordering, an option behind an operand is one too, and so is its value.
    if (this.#operands.length > 0 && this.#command.lead === undefined) this.paths.push(next)
    return this.#value(option, kind, next) ?? "next"
  }

  #value(option: string, kind: Kind, value: Literal): Verdict | undefined {
    if (value.glob) return this.#mayBeFlag(value)
    if (kind === "archive" && value.value.includes(":"))
      return ask("shell/operand", `${this.#name} may take ${excerpt(value.value)} for a file of another machine.`)
    if (kind === "path" || kind === "archive") this.paths.push(value)
    else if (kind === "write") this.written.push(value)
    else if (kind === "url") this.urls.push(value)
    else if (value.tilde)
      return ask(
        "shell/expansion",
        `${excerpt(value.value)} expands to a path where ${option} of ${this.#name} takes text.`
      )
    else if (kind === "data") this.sent.push([option, value.value])
    else if (kind === "glob") this.globs.push(value.value)
    else if (kind === "only") this.#opensOnly(value.value)
    else if (kind === "left") this.left.push({ pattern: value.value, of: "file" })
    else if (kind === "leftDirectory") this.left.push({ pattern: value.value, of: "directory" })
    else if (kind === "type") this.types.push(value.value)
    else if (kind === "script" && this.#command.lead?.test(value.value) !== true) return unreadLead(this.#name)
    else if (kind === "number" && !number.test(value.value)) {
      return ask("shell/flag-not-listed", `${option} of ${this.#name} takes a number, not ${excerpt(value.value)}.`)
    }
    return undefined
  }

  /** grep opens what no pattern matches, unless the first of them is one of what it opens. Of those that match, the last one counts. */
  #opensOnly(pattern: string): void {
    const isLater = this.left.some(({ of }) => of === "file")
    if (isLater) this.left = this.left.filter(({ of }) => of !== "file")
    this.#opensOthers ||= isLater || pattern.startsWith("!")
    this.globs = this.#opensOthers ? [] : [...this.globs, pattern]
  }

  finish(): Verdict | undefined {
    const { form, lead, most, needs, operands: kind } = this.#command
    const operands = this.#operands
    if (needs !== undefined && !this.#has(needs)) {
      return ask(
        "shell/flag-not-listed",
        `${this.#name} runs without asking only with ${needs.replaceAll(" ", " or ")}.`
      )
    }
    if (lead !== undefined && !this.#has(this.#command.leadIn ?? "")) {
      const first = operands.shift()
      if (first === undefined || first.glob || first.tilde || !lead.test(first.value)) {
        return unreadLead(this.#name)
      }
    }
    if (operands.length < (this.#command.least ?? 0)) {
      return ask(
        "shell/operand",
        `${this.#name} runs without asking only with at least ${this.#command.least} argument.`
      )
    }
    const limit = kind === "none" ? 0 : (most ?? Infinity)
    if (operands.length > limit || (most !== undefined && operands.some((operand) => operand.glob))) {
      return ask(
        "shell/operand",
        `${this.#name} runs without asking only ${limit === 0 ? "without arguments" : `with at most ${limit} arguments`}.`
      )
    }
    for (const operand of operands) {
      if (kind === "path") {
        if (form !== undefined && !form.test(operand.value)) {
          return ask(
            "shell/operand",
            `${this.#name} with the argument ${excerpt(operand.value)} may do more than read.`
          )
        }
        const leads = operand.glob && !operand.afterEnd && /^[*?[]/.test(operand.value)
        if (leads && !onlyShow.has(this.#name)) return this.#mayBeFlag(operand)
        this.paths.push(leads ? { ...operand, leads } : operand)
        this.bare = false
      } else if (kind === "write") {
        if (operand.glob && !operand.afterEnd && /^[*?[]/.test(operand.value)) return this.#mayBeFlag(operand)
        this.written.push(operand)
      } else if (kind === "url") {
        this.urls.push(operand)
      } else if (operand.glob && !operand.bare && this.#command.raw === true) {
        this.paths.push(operand)
      } else if (operand.glob || operand.tilde || (form !== undefined && !form.test(operand.value))) {
        return ask("shell/operand", `${this.#name} with the argument ${excerpt(operand.value)} may do more than read.`)
      }
    }
    return undefined
  }

  #has(options: string): boolean {
    return options.split(" ").some((option) => this.options.has(option))
  }

  #notListed(option: string): Verdict {
    return ask("shell/flag-not-listed", `${this.#name} may do more than read with ${excerpt(option)}.`)
  }

  #late(arg: Literal): Verdict {
    return ask(
      "shell/operand",
      `${this.#name} may not read ${excerpt(arg.value)} as an option there; put options first.`
    )
  }

  #glued(text: string): Verdict {
    return ask(
      "shell/flag-not-listed",
      `${this.#name} may read ${excerpt(text)} in more than one way; write options and values as separate words.`
    )
  }

  #mayBeFlag(arg: Literal): Verdict {
    return mayBeFlag(arg.value, `${this.#name} would`)
  }
}
