import { predicates } from "./Find.ts"

/** What is known of a thing before it is there. */
export type Maybe = "yes" | "no" | "maybe"

/** What `find` looks at. */
export interface FindEntry {
  /** As `find` prints it. */
  readonly path: string
  readonly kind: "file" | "directory" | "link" | "other"
}

/** What the expression of a `find` that only looks comes to. */
export interface FindExpression {
  /** Whether it prints the entry, or hands it to the command behind `-exec`. */
  readonly takes: (entry: FindEntry) => Maybe
  /** Whether it may do that with anything below a directory. */
  readonly takesBelow: (directory: string) => boolean
  /** Whether it is sure not to go into a directory. */
  readonly prunes: (directory: string) => boolean
  /** What it prints behind a name; none where that differs. */
  readonly end: "line" | "nul" | undefined
}

/** An entry, or all that lies below a directory where there is no kind. */
interface Given {
  readonly path: string
  readonly kind: FindEntry["kind"] | undefined
}

/** Whether a test holds, and whether the entry is taken or pruned on the way there. */
interface Outcome {
  readonly value: Maybe
  readonly takes: Maybe
  readonly prunes: Maybe
}

type Test = (given: Given) => Outcome

const is = (value: Maybe): Outcome => ({ value, takes: "no", prunes: "no" })

const opposite = { yes: "no", no: "yes", maybe: "maybe" } as const

const either = (one: Maybe, other: Maybe): Maybe =>
  one === "yes" || other === "yes" ? "yes" : one === "maybe" || other === "maybe" ? "maybe" : "no"

/** The second, where it is only reached if the first is. */
const reached = (first: Maybe, second: Maybe): Maybe =>
  first === "no" ? "no" : first === "yes" ? second : second === "no" ? "no" : "maybe"

const both =
  (one: Test, other: Test): Test =>
  (given) => {
    const first = one(given)
    const second = other(given)
    return {
      value: reached(first.value, second.value),
      takes: either(first.takes, reached(first.value, second.takes)),
      prunes: either(first.prunes, reached(first.value, second.prunes))
    }
  }

const not =
  (one: Test): Test =>
  (given) => {
    const found = one(given)
    return { ...found, value: opposite[found.value] }
  }

const oneOf =
  (one: Test, other: Test): Test =>
  (given) => {
    const first = one(given)
    const second = other(given)
    const unless = opposite[first.value]
    return {
      value: either(first.value, second.value),
      takes: either(first.takes, reached(unless, second.takes)),
      prunes: either(first.prunes, reached(unless, second.prunes))
    }
  }

/** Whether a text is what a pattern stands for, whose `*` stands for slashes too; maybe, where it holds more than `*`, or the text is none. */
const matches = (pattern: string, text: string): Maybe => {
  if (/[?[\]\\]/.test(pattern) || text.includes("\ufffd")) return "maybe"
  const [first = "", ...others] = pattern.split("*")
  const last = others.pop()
  if (last === undefined) return first === text ? "yes" : "no"
  if (!text.startsWith(first)) return "no"
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found < 0) return "no"
    at = found + part.length
  }
  return text.length - at >= last.length && text.endsWith(last) ? "yes" : "no"
}

const named =
  (pattern: string): Test =>
  ({ kind, path }) =>
    is(kind === undefined ? "maybe" : matches(pattern, path.slice(path.replace(/\/+$/, "").lastIndexOf("/") + 1)))

const pathed =
  (pattern: string): Test =>
  ({ kind, path }) => {
    if (kind !== undefined) return is(matches(pattern, path))
    // What begins as a directory does is all that lies below it.
    return is(pattern.endsWith("*") && matches(pattern, `${path}/`) === "yes" ? "yes" : "maybe")
  }

const letters = { file: "f", directory: "d", link: "l", other: "?" } as const

const typed =
  (letterList: string): Test =>
  ({ kind }) => {
    if (kind === undefined || kind === "other") return is("maybe")
    return is(letterList.split(",").includes(letters[kind]) ? "yes" : "no")
  }

const folded =
  (test: (pattern: string) => Test) =>
  (pattern: string): Test => {
    const lower = test(pattern.toLowerCase())
    // Others than ASCII have cases of which programs do not think alike.
    return ({ kind, path }) =>
      /^[\0-\x7f]*$/.test(pattern + path) ? lower({ kind, path: path.toLowerCase() }) : is("maybe")
  }

const always: Test = () => is("yes")
const perhaps: Test = () => is("maybe")
const take: Test = () => ({ value: "yes", takes: "yes", prunes: "no" })
const prune: Test = () => ({ value: "yes", takes: "no", prunes: "yes" })

const plain: Readonly<Record<string, Test>> = {
  "-true": always,
  "-false": () => is("no"),
  "-prune": prune,
  "-print": take,
  "-print0": take,
  "-depth": always,
  "-xdev": always,
  "-mount": always,
  "-daystart": always,
  "-noleaf": always,
  "-ignore_readdir_race": always
}

const valued: Readonly<Record<string, (value: string) => Test>> = {
  "-name": named,
  "-iname": folded(named),
  "-path": pathed,
  "-wholename": pathed,
  "-ipath": folded(pathed),
  "-iwholename": folded(pathed),
  "-type": typed,
  "-maxdepth": () => always,
  "-mindepth": () => perhaps,
  "-regextype": () => always
}

/** Print something else than a name alone, or are read as more than one thing: GNU takes a first `,` or `)` for a file. */
const otherwise = /^(?:-ls|-printf|[,)])$/
const negations = /^(?:!|-not)$/
const conjunctions = /^-(?:a|and)$/
const disjunctions = /^-(?:o|or)$/

const deepest = 16

class Parser {
  /** What prints, which a value of a test never does. */
  readonly actions = new Set<string>()
  readonly #words: ReadonlyArray<string>
  #at = 0
  #depth = 0

  constructor(words: ReadonlyArray<string>) {
    this.#words = words
  }

  /** All of it, unless it is none that is understood. */
  whole(): Test | undefined {
    const found = this.#either()
    return this.#at === this.#words.length ? found : undefined
  }

  #isAt(words: RegExp): boolean {
    return words.test(this.#words[this.#at] ?? "")
  }

  #chain(part: () => Test | undefined, joins: () => boolean, join: (one: Test, other: Test) => Test): Test | undefined {
    let all = part()
    while (all !== undefined && joins()) {
      const next = part()
      all = next === undefined ? undefined : join(all, next)
    }
    return all
  }

  #either(): Test | undefined {
    return this.#chain(
      () => this.#both(),
      () => this.#skipped(disjunctions),
      oneOf
    )
  }

  #both(): Test | undefined {
    return this.#chain(
      () => this.#one(),
      () => this.#skipped(conjunctions) || (this.#at < this.#words.length && !this.#isAt(/^(?:-o|-or|\))$/)),
      both
    )
  }

  #skipped(words: RegExp): boolean {
    const isThere = this.#isAt(words)
    if (isThere) this.#at++
    return isThere
  }

  #one(): Test | undefined {
    if (++this.#depth > deepest) return undefined
    const found = this.#read()
    this.#depth--
    return found
  }

  #read(): Test | undefined {
    const word = this.#words[this.#at++]
    if (word === undefined || otherwise.test(word)) return undefined
    if (negations.test(word)) {
      const negated = this.#one()
      return negated === undefined ? undefined : not(negated)
    }
    if (word === "(") {
      const inner = this.#either()
      return this.#skipped(/^\)$/) ? inner : undefined
    }
    if (plain[word] === take) this.actions.add(word)
    if (Object.hasOwn(plain, word)) return plain[word]
    const takes = predicates.get(word)
    if (takes === undefined) return undefined
    if (takes === "nothing") return perhaps
    const value = this.#words[this.#at++]
    if (value === undefined) return undefined
    return Object.hasOwn(valued, word) ? valued[word]!(value) : perhaps
  }
}

/** Reads the words behind the starting points of a `find` that only looks; none where it is not known what it prints. */
export const findExpression = (words: ReadonlyArray<string>): FindExpression | undefined => {
  const parser = new Parser(words)
  const given = words.length === 0 ? always : parser.whole()
  if (given === undefined) return undefined
  const { actions } = parser
  const test = actions.size > 0 ? given : both(given, take)
  // With the one a directory comes after what is in it, and with the other some come through untested.
  const isDeep = words.includes("-depth") || words.includes("-mindepth")
  return {
    takes: (entry) => test(entry).takes,
    takesBelow: (directory) => test({ path: directory, kind: undefined }).takes !== "no",
    prunes: (directory) => !isDeep && test({ path: directory, kind: "directory" }).prunes === "yes",
    end: actions.size > 1 ? undefined : actions.has("-print0") ? "nul" : "line"
  }
}
