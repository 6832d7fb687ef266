import * as Arr from "effect/Array"
import { mark } from "./Mark.ts"

/** Characters; a shorter value would blacken ordinary text. */
const minExact = 6

/** The base64 of a value wherever it stands in a longer one: what all neighbours leave alone, for each alignment. */
const base64 = (value: string): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((offset) => {
    const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)])
    const inner = bytes.toString("base64").slice(Math.ceil((offset * 4) / 3), Math.floor((bytes.length * 4) / 3))
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")]
  })

const html = (value: string, apostrophe: string): string =>
  value
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", apostrophe)

const inJson = (value: string): string => JSON.stringify(value).slice(1, -1)

const hexadecimal = (value: string): string => Buffer.from(value).toString("hex")

/** Those that programs wrap over lines. */
const wrapped = (value: string): ReadonlyArray<string> => [
  hexadecimal(value),
  hexadecimal(value).toUpperCase(),
  ...base64(value)
]

const spellings = (value: string): ReadonlyArray<string> => [
  value,
  ...["'", "&#39;", "&#x27;", "&#039;", "&apos;"].map((apostrophe) => html(value, apostrophe)),
  encodeURIComponent(value.toWellFormed()).replaceAll(/%../g, (code) => code.toLowerCase()),
  inJson(inJson(value)),
  encodeURIComponent(value.toWellFormed()),
  encodeURIComponent(value.toWellFormed()).replaceAll("%20", "+"),
  inJson(value),
  ...wrapped(value)
]

/** A line break as it is or as JSON says it, with what the next line is indented by. */
const breaks = /(?:\r?\n|(?:\\r)?\\n)[ \t]{0,16}/g

/** The beginning of one at the end of a text. */
const breaking = /(?:\r|\\(?:r\\?)?)$/

interface Match {
  readonly start: number
  readonly end: number
}

const escaped = (value: string): string => value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

const longestFirst = (texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(texts)].filter((_) => _.length >= minExact).toSorted((a, b) => b.length - a.length)

const anyOf = (texts: ReadonlyArray<string>): RegExp => new RegExp(texts.map(escaped).join("|"), "g")

/** Texts that are looked for where they may go on beyond the end. */
class Beginnings {
  private readonly longest: number
  private readonly byFirst: Readonly<Record<string, ReadonlyArray<string>>>

  constructor(texts: ReadonlyArray<string>) {
    this.longest = texts[0]?.length ?? 0
    this.byFirst = Arr.groupBy(texts, (_) => _.charAt(0))
  }

  /** The first place from which the rest of the text could be the beginning of one. */
  in(text: string): number {
    for (let i = Math.max(0, text.length - this.longest + 1); i < text.length; i++) {
      const known = this.byFirst[text.charAt(i)]
      if (known === undefined) continue
      const rest = text.slice(i)
      if (known.some((_) => _.length > rest.length && _.startsWith(rest))) return i
    }
    return text.length
  }

  /** Characters of which each is read as no more than one of a text. */
  get reach(): number {
    return 4 * this.longest + 256
  }
}

/** A text without its line breaks. */
class Unwrapped {
  readonly text: string
  private readonly original: string

  constructor(original: string) {
    this.original = original
    this.text = original.replaceAll(breaks, "")
  }

  get isSame(): boolean {
    return this.text.length === this.original.length
  }

  /** Where places of this text, which are in order, are in the original. */
  places(ofText: ReadonlyArray<number>): ReadonlyArray<number> {
    const found = this.original.matchAll(breaks)
    let next = found.next()
    let removed = 0
    return ofText.map((place) => {
      while (!next.done && next.value.index - removed <= place) {
        removed += next.value[0].length
        next = found.next()
      }
      return place + removed
    })
  }
}

/** Known values, as they are and as URLs, HTML, JSON, hexadecimal and base64 spell them, the last two also over several lines. */
export class ExactValues {
  private readonly all: ReadonlyArray<string>
  private readonly pattern: RegExp
  private readonly wrapped: RegExp
  private readonly beginnings: Beginnings
  private readonly wrappedBeginnings: Beginnings

  constructor(values: ReadonlyArray<string>) {
    const known = values.map((_) => _.trim()).filter((_) => _.length >= minExact)
    this.all = longestFirst(known.flatMap(spellings))
    this.pattern = anyOf(this.all)
    this.beginnings = new Beginnings(this.all)
    const overLines = longestFirst(known.flatMap(wrapped))
    this.wrapped = anyOf(overLines)
    this.wrappedBeginnings = new Beginnings(overLines)
  }

  get isEmpty(): boolean {
    return this.all.length === 0
  }

  /** Replaces the leftmost longest matches; says how much of the end more text could still change. */
  replace(text: string, final: boolean): { readonly out: string; readonly rest: string } {
    const held = final ? text.length : this.heldFrom(text)
    let out = ""
    let from = 0
    for (const { end, start } of this.matches(text)) {
      if (start >= held) break
      if (start < from) continue
      out += text.slice(from, start) + mark("secret")
      from = end
    }
    const until = Math.max(from, held)
    return { out: out + text.slice(from, until), rest: text.slice(until) }
  }

  /** Replaces the same matches in a text that is whole. */
  replaceWith(text: string, cover: (value: string) => string): string {
    let out = ""
    let from = 0
    for (const { end, start } of this.matches(text)) {
      if (start < from) continue
      out += text.slice(from, start) + cover(text.slice(start, end))
      from = end
    }
    return out + text.slice(from)
  }

  private matches(text: string): ReadonlyArray<Match> {
    const plain = Array.from(text.matchAll(this.pattern), ({ 0: { length }, index }) => ({
      start: index,
      end: index + length
    }))
    const over = this.overLines(text)
    return over.length === 0 ? plain : [...plain, ...over].toSorted((a, b) => a.start - b.start || b.end - a.end)
  }

  private overLines(text: string): ReadonlyArray<Match> {
    const flat = new Unwrapped(text)
    if (flat.isSame || flat.text.search(this.wrapped) === -1) return []
    const found = Array.from(flat.text.matchAll(this.wrapped))
    const places = flat.places(found.flatMap(({ 0: { length }, index }) => [index, index + length - 1]))
    return found.flatMap(({ 0: { length } }, index) => {
      const start = places[2 * index]!
      const end = places[2 * index + 1]! + 1
      return end - start === length ? [] : [{ start, end }]
    })
  }

  private heldFrom(text: string): number {
    const held = this.beginnings.in(text)
    const from = Math.max(0, text.length - this.wrappedBeginnings.reach)
    const flat = new Unwrapped(text.slice(from).replace(breaking, ""))
    const at = this.wrappedBeginnings.in(flat.text)
    return at === flat.text.length ? held : Math.min(held, from + flat.places([at])[0]!)
  }
}
