import * as Arr from "effect/Array"
import { mark } from "./Mark.ts"

/** Characters; a shorter value would blacken ordinary text. */
export const minExact = 6

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

const spellings = (value: string): ReadonlyArray<string> => [
  value,
  hexadecimal(value),
  hexadecimal(value).toUpperCase(),
  ...["'", "&#39;", "&#x27;", "&#039;", "&apos;"].map((apostrophe) => html(value, apostrophe)),
  encodeURIComponent(value.toWellFormed()).replaceAll(/%../g, (code) => code.toLowerCase()),
  inJson(inJson(value)),
  encodeURIComponent(value.toWellFormed()),
  encodeURIComponent(value.toWellFormed()).replaceAll("%20", "+"),
  inJson(value),
  ...base64(value)
]

const escaped = (value: string): string => value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")

/** Known values, as they are and as URLs, HTML, JSON, hexadecimal and base64 spell them. */
export class ExactValues {
  private readonly all: ReadonlyArray<string>
  private readonly pattern: RegExp
  private readonly longest: number
  private readonly byFirst: Readonly<Record<string, ReadonlyArray<string>>>

  constructor(values: ReadonlyArray<string>) {
    const known = values.map((_) => _.trim()).filter((_) => _.length >= minExact)
    this.all = [...new Set(known.flatMap(spellings))]
      .filter((_) => _.length >= minExact)
      .toSorted((a, b) => b.length - a.length)
    this.pattern = new RegExp(this.all.map(escaped).join("|"), "g")
    this.longest = this.all[0]?.length ?? 0
    this.byFirst = Arr.groupBy(this.all, (_) => _.charAt(0))
  }

  get isEmpty(): boolean {
    return this.all.length === 0
  }

  /** Replaces the leftmost longest matches; says how much of the end more text could still change. */
  replace(text: string, final: boolean): { readonly out: string; readonly rest: string } {
    let out = ""
    let from = 0
    const held = final ? text.length : this.heldFrom(text)
    for (const match of text.matchAll(this.pattern)) {
      if (match.index >= held) break
      out += text.slice(from, match.index) + mark("secret")
      from = match.index + match[0].length
    }
    const until = Math.max(from, held)
    return { out: out + text.slice(from, until), rest: text.slice(until) }
  }

  /** Replaces the same matches in a text that is whole. */
  replaceWith(text: string, cover: (value: string) => string): string {
    return text.replaceAll(this.pattern, cover)
  }

  /** The first place from which the rest of the text could be the beginning of a value. */
  private heldFrom(text: string): number {
    for (let i = Math.max(0, text.length - this.longest + 1); i < text.length; i++) {
      const known = this.byFirst[text.charAt(i)]
      if (known === undefined) continue
      const rest = text.slice(i)
      if (known.some((_) => _.length > rest.length && _.startsWith(rest))) return i
    }
    return text.length
  }
}
