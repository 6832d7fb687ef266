import * as Data from "effect/Data"

/** JSON as people write it in settings, with comments and commas behind the last entry, and where in the text each part stands. */
export type Node = ObjectNode | ArrayNode | ScalarNode

interface Span {
  readonly start: number
  readonly end: number
}
export interface ScalarNode extends Span {
  readonly kind: "scalar"
  readonly value: unknown
}
export interface ArrayNode extends Span {
  readonly kind: "array"
  readonly entries: ReadonlyArray<Entry>
  /** Where a comma stands behind the last entry. */
  readonly comma: number | undefined
}
export interface ObjectNode extends Span {
  readonly kind: "object"
  readonly entries: ReadonlyArray<Entry>
  readonly comma: number | undefined
}
/** One item, or one member with its name. */
export interface Entry extends Span {
  readonly key: string | undefined
  readonly value: Node
}

/** What is no such text, and the offset where that shows. */
export class NotJsonc extends Data.TaggedError("NotJsonc")<{ readonly offset: number }> {
  override get message() {
    return `it is not valid JSON at offset ${this.offset}`
  }
}

const maxDepth = 64

class Parser {
  readonly text: string
  at = 0
  constructor(text: string) {
    this.text = text
  }

  /** What an expression that is sticky finds here. */
  found(expression: RegExp): string | undefined {
    expression.lastIndex = this.at
    return expression.exec(this.text)?.[0]
  }

  blank(): void {
    for (;;) {
      const gap = this.found(/[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y)
      if (gap === undefined) return
      this.at += gap.length
    }
  }

  fail(): never {
    throw new NotJsonc({ offset: this.at })
  }

  string(): string {
    const found = this.found(/"(?:[^"\\\n]|\\.)*"/y)
    if (found === undefined) return this.fail()
    try {
      const value: unknown = JSON.parse(found)
      this.at += found.length
      return String(value)
    } catch {
      return this.fail()
    }
  }

  value(depth: number): Node {
    const start = this.at
    const sign = this.text.charAt(start)
    if (depth > maxDepth) return this.fail()
    if (sign === "{" || sign === "[") return this.container(sign === "{" ? "object" : "array", depth)
    if (sign === '"') {
      const value = this.string()
      return { kind: "scalar", start, end: this.at, value }
    }
    const word = this.found(/true|false|null|-?\d[\d.eE+-]*/y)
    if (word === undefined) return this.fail()
    try {
      const value: unknown = JSON.parse(word)
      this.at += word.length
      return { kind: "scalar", start, end: this.at, value }
    } catch {
      return this.fail()
    }
  }

  container(kind: "object" | "array", depth: number): ObjectNode | ArrayNode {
    const start = this.at++
    const close = kind === "object" ? "}" : "]"
    const entries: Array<Entry> = []
    let comma: number | undefined
    for (;;) {
      this.blank()
      if (this.text.charAt(this.at) === close) {
        this.at++
        return { kind, start, end: this.at, entries, comma }
      }
      if (entries.length > 0 && comma === undefined) return this.fail()
      const from = this.at
      const key = kind === "object" ? this.string() : undefined
      if (key !== undefined) {
        this.blank()
        if (this.text.charAt(this.at) !== ":") return this.fail()
        this.at++
        this.blank()
      }
      const value = this.value(depth + 1)
      entries.push({ key, value, start: from, end: this.at })
      this.blank()
      comma = this.text.charAt(this.at) === "," ? this.at++ : undefined
    }
  }
}

/** Reads a text; throws `NotJsonc`. One that is empty is nothing. */
export const parse = (text: string): Node | undefined => {
  const parser = new Parser(text)
  parser.blank()
  if (parser.at === text.length) return undefined
  const node = parser.value(0)
  parser.blank()
  return parser.at === text.length ? node : parser.fail()
}

/** What a part of the text says. */
export const valueOf = (node: Node): unknown =>
  node.kind === "scalar"
    ? node.value
    : node.kind === "array"
      ? node.entries.map(({ value }) => valueOf(value))
      : Object.fromEntries(node.entries.map(({ key = "", value }) => [key, valueOf(value)]))

const lineIndent = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1))?.[0] ?? ""

const isContainer = (node: Node): node is ObjectNode | ArrayNode => node.kind !== "scalar"

/** What an object has last under a name: of two members, programs take the last. */
const member = (node: Node | undefined, key: string): Node | undefined =>
  node?.kind === "object" ? node.entries.findLast((entry) => entry.key === key)?.value : undefined

/** Puts an entry at the end of a container, in the way in which the text around it is written. */
const inserted = (text: string, into: ObjectNode | ArrayNode, key: string | undefined, value: unknown): string => {
  const end = text.includes("\r\n") ? "\r\n" : "\n"
  const inside = text.slice(into.start, into.end)
  const [first] = into.entries
  const last = into.entries.at(-1)
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `
  if (last !== undefined && !inside.includes("\n")) {
    const entry = `${name}${JSON.stringify(value)}`
    return `${text.slice(0, last.end)}, ${entry}${text.slice(into.comma === undefined ? last.end : into.comma + 1)}`
  }
  const outer = lineIndent(text, into.start)
  const own =
    first === undefined || !text.slice(into.start, first.start).includes("\n")
      ? undefined
      : lineIndent(text, first.start)
  const unit =
    own !== undefined && own.length > outer.length && own.startsWith(outer)
      ? own.slice(outer.length)
      : outer.includes("\t")
        ? "\t"
        : "  "
  const indent = own ?? `${outer}${unit}`
  const rendered = JSON.stringify(value, null, unit).replaceAll("\n", `${end}${indent}`)
  const entry = `${end}${indent}${name}${rendered}`
  const close = into.end - 1
  const body = text.slice(0, close).trimEnd().length
  const tail = text.slice(body, close)
  const after = tail.includes("\n") ? tail : `${end}${outer}`
  if (last === undefined || into.comma !== undefined)
    return `${text.slice(0, body)}${entry}${after}${text.slice(close)}`
  return `${text.slice(0, last.end)},${text.slice(last.end, body)}${entry}${after}${text.slice(close)}`
}

const nested = (keys: ReadonlyArray<string>, value: unknown): unknown =>
  keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), [value])

/**
 * The text with a value more in the list under some names; whatever of them is missing is made. Undefined where something else
 * than a list stands there.
 */
export const appended = (text: string, keys: ReadonlyArray<string>, value: unknown): string | undefined => {
  let node = parse(text)
  if (node === undefined) return `${text}${JSON.stringify(nested(keys, value), null, 2)}\n`
  for (const [index, key] of keys.entries()) {
    if (node.kind !== "object") return undefined
    const next = member(node, key)
    if (next === undefined) return inserted(text, node, key, nested(keys.slice(index + 1), value))
    node = next
  }
  return node.kind === "array" ? inserted(text, node, undefined, value) : undefined
}

/** The text with a member more in its outermost object, unless that has one of the name. */
export const completed = (text: string, key: string, value: unknown): string => {
  const node = parse(text)
  return node?.kind !== "object" || member(node, key) !== undefined ? text : inserted(text, node, key, value)
}

const comment = /\/[/*]/

/** The text between two entries without its first comma, which may stand behind a comment that has some. */
const withoutComma = (between: string): string => {
  let isGone = false
  return between.replaceAll(/\/\/[^\n]*|\/\*[\s\S]*?\*\/|,/g, (part) => {
    if (part !== "," || isGone) return part
    isGone = true
    return ""
  })
}

/** The text without an entry of a container, nor what stood around it alone. */
const without = (text: string, from: ObjectNode | ArrayNode, entry: Entry): string => {
  const index = from.entries.indexOf(entry)
  const before = from.entries[index - 1]
  const after = from.entries[index + 1]
  if (after !== undefined) {
    const between = text.slice(entry.end, after.start)
    const kept = comment.test(between) ? withoutComma(between).trimStart() : ""
    return text.slice(0, entry.start) + kept + text.slice(after.start)
  }
  if (before !== undefined) {
    const between = text.slice(before.end, entry.start)
    const kept = comment.test(between) ? withoutComma(between).trimEnd() : ""
    return text.slice(0, before.end) + kept + text.slice(entry.end)
  }
  const rest = withoutComma(text.slice(entry.end, from.end - 1))
  const lead = text.slice(from.start + 1, entry.start)
  const left = `${lead}${rest}`
  return text.slice(0, from.start + 1) + (left.trim() === "" ? "" : left) + text.slice(from.end - 1)
}

interface Found {
  readonly container: ObjectNode | ArrayNode
  readonly entry: Entry
  /** What would be left of the container is worth nothing. */
  readonly alone: boolean
}

/** The way to the first object that fits, from the outside. */
const wayTo = (
  node: Node,
  fits: (value: unknown) => boolean,
  isPart: (value: unknown) => boolean
): ReadonlyArray<Found> | undefined => {
  if (!isContainer(node)) return undefined
  const isOwn = ({ key }: Entry): boolean => node.kind === "array" || !isPart(key)
  const own = node.entries.filter(isOwn).length
  for (const entry of node.entries) {
    const here: Found = { container: node, entry, alone: own - (isOwn(entry) ? 1 : 0) === 0 }
    if (fits(valueOf(entry.value))) return [here]
    const below = wayTo(entry.value, fits, isPart)
    if (below !== undefined) return [here, ...below]
  }
  return undefined
}

/**
 * The text without every object that fits, nor what held nothing else than one; `isPart` says which names of an object mean nothing
 * by themselves.
 */
export const removed = (text: string, fits: (value: unknown) => boolean, isPart: (key: unknown) => boolean): string => {
  let left = text
  for (let round = 0; round < 100; round++) {
    const node = parse(left)
    const way = node === undefined ? undefined : wayTo(node, fits, isPart)
    if (way === undefined) return left
    let depth = way.length - 1
    while (depth > 0 && way[depth]!.alone) depth--
    const { container, entry } = way[depth]!
    left = without(left, container, entry)
  }
  return left
}
