import { isPlace, isPlaceName } from "./Assigned.ts"
import { JsonLevels } from "./JsonLevels.ts"
import { mark } from "./Mark.ts"

/** A redaction that is fed a text piece by piece. */
export interface Feed {
  readonly push: (chunk: string) => string
  readonly flush: () => string
}

/** How many JSON texts inside each other's strings are looked into. */
const maxNesting = 4
/** Characters of a key, a number or an escape that is read as such. */
const maxToken = 512

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t"
}

const quote = (text: string): string => JSON.stringify(text).slice(1, -1)

const structure = /^[\s[\]{}:,]+/
const literal = /^[\w.+-]+/
const words = /^(?:true|false|null)$/
const acting = /["\\]/g
const hexadecimal = /^[\da-f]{4}$/i
const number = /^-?\d[\d.eE+-]*$/
interface Text {
  readonly role: "key" | "value"
  /** The kind of secret, regardless of its text. */
  readonly kind: string | undefined
  /** It is one unless it turns out to be a path, or one of more than two in a list. */
  readonly unless: "path" | "more" | undefined
  /** What reads it, once it is known whether it is JSON itself. */
  feed: Feed | undefined
  /** The beginning, as far as a name or a blank has to be known. */
  head: string
  size: number
  marked: boolean
  /** Half of a pair that waits for the other half. */
  half: string
}

/** Whether anything was left out. */
interface Seen {
  changed: boolean
}

/** A feed that notes whether it says anything but what it is fed. */
const watched = (feed: Feed, seen: Seen): Feed => {
  let fed = ""
  const note = (shown: string): string => {
    if (fed.startsWith(shown)) fed = fed.slice(shown.length)
    else seen.changed = true
    return shown
  }
  return {
    push: (chunk) => {
      if (!seen.changed) fed += chunk
      return note(feed.push(chunk))
    },
    flush: () => {
      const shown = note(feed.flush())
      if (fed !== "") seen.changed = true
      return shown
    }
  }
}

/**
 * Redacts a JSON text that comes in chunks as the value it stands for: strings are decoded first, names say what is secret,
 * and a string that is JSON again is read in the same way. From the first place on that is not JSON it is read as text.
 */
export class JsonText implements Feed {
  private readonly levels = new JsonLevels()
  private text: Text | undefined
  /** What waits for its end: an escape within a string, a literal outside. */
  private held = ""
  private pair: { readonly plain: string; readonly kind: string } | undefined
  /** Reads the rest, which is no JSON. */
  private plain: Feed | undefined
  private readonly make: () => Feed
  private readonly seen: Seen
  private readonly nesting: number

  constructor(make: () => Feed, seen: Seen = { changed: false }, nesting = 0) {
    this.make = () => watched(make(), seen)
    this.seen = seen
    this.nesting = nesting
  }

  push = (chunk: string): string => {
    if (this.plain) return this.plain.push(chunk)
    let out = ""
    let left = this.held + chunk
    this.held = ""
    while (left !== "") {
      const run = this.text ? "" : (structure.exec(left)?.[0] ?? "")
      if (this.pair && (run.trim() !== "" || run.length < left.length || run.length > maxToken)) out += this.decide(run)
      if (this.pair) {
        this.held = left
        return out
      }
      if (run !== "") {
        for (const at of run) this.levels.mind(at)
        out += run
        left = left.slice(run.length)
      } else if (this.text) {
        const [shown, rest] = this.inside(this.text, left)
        out += shown
        left = rest
        if (this.text && rest !== "") {
          this.held = rest
          return out
        }
      } else if (left.startsWith('"')) {
        out += '"'
        left = left.slice(1)
        this.begin()
      } else {
        const word = literal.exec(left)?.[0] ?? ""
        if (word.length === left.length && word.length <= maxToken) {
          this.held = word
          return out
        }
        const shown = this.literal(word)
        if (shown === undefined) {
          this.plain = this.make()
          return out + this.plain.push(left)
        }
        out += shown
        left = left.slice(word.length)
      }
    }
    return out
  }

  flush = (): string => {
    let out = ""
    if (this.pair) out = this.decide("]") + this.held
    else if (this.plain) out = this.plain.flush()
    else if (this.text) {
      const rest = this.held
      this.held = ""
      out = this.say(this.text, rest) + this.end(this.text).slice(0, -1)
      if (this.pair) out += this.decide("]").slice(0, -1)
    } else if (this.held !== "") {
      out = this.literal(this.held) ?? this.whole(this.held)
    }
    this.levels.reset()
    this.text = undefined
    this.held = ""
    this.plain = undefined
    return out
  }

  /** Says the second value of a list whose first is the name of a secret, which it is where none comes after it. */
  private decide(run: string): string {
    const { pair } = this
    this.pair = undefined
    return pair === undefined ? "" : run.trimStart().startsWith(",") ? pair.plain : `${this.mark(pair.kind)}"`
  }

  private mark(kind: string): string {
    this.seen.changed = true
    return mark(kind)
  }

  private literal(word: string): string | undefined {
    if (!words.test(word) && !number.test(word)) return undefined
    const kind = this.levels.kind()
    this.levels.next()
    if (words.test(word)) return word
    if (kind !== undefined) return `"${this.mark(kind)}"`
    const shown = this.whole(word)
    return shown === word ? word : `"${quote(shown)}"`
  }

  private begin(): void {
    const { top } = this.levels
    const role = top?.key === true ? "key" : "value"
    const kind = role === "key" ? undefined : this.levels.kind()
    const unless =
      kind === undefined || top === undefined || top.kind !== undefined
        ? undefined
        : top.object
          ? isPlaceName(top.name ?? "")
            ? "path"
            : undefined
          : top.flag
            ? undefined
            : "more"
    this.text = { role, kind, unless, feed: undefined, head: "", size: 0, marked: false, half: "" }
  }

  /** Reads a string as far as it goes: what it says, and what is left. */
  private inside(text: Text, left: string): readonly [shown: string, rest: string] {
    let decoded = ""
    let at = 0
    while (at < left.length) {
      acting.lastIndex = at
      const end = acting.exec(left)?.index ?? left.length
      decoded += left.slice(at, end)
      at = end
      if (at === left.length) break
      if (left.charAt(at) === '"') return [this.say(text, decoded) + this.end(text), left.slice(at + 1)]
      const sign = left.charAt(at + 1)
      if (sign === "" || (sign === "u" && left.length < at + 6)) break
      const code = sign === "u" ? hexadecimal.exec(left.slice(at + 2, at + 6)) : null
      decoded += code ? String.fromCharCode(parseInt(code[0], 16)) : (escapes[sign] ?? `\\${sign}`)
      at += code ? 6 : 2
    }
    return [this.say(text, decoded), left.slice(at)]
  }

  /** What may be shown of a string that goes on with this, which is decoded. */
  private say(text: Text, decoded: string): string {
    if (decoded === "") return ""
    const before = text.head
    text.size += decoded.length
    if (before.length < maxToken) text.head += decoded.slice(0, maxToken - before.length)
    if (text.kind !== undefined) {
      if (text.marked || (text.unless !== undefined && text.size <= maxToken)) return ""
      text.marked = true
      return this.mark(text.kind)
    }
    if (text.feed !== undefined) return this.encoded(text, text.feed.push(decoded))
    if (text.head.length < maxToken && text.head.trim() === "") return ""
    const nested = this.nesting < maxNesting && /^\s*[[{]/.test(text.head)
    text.feed = nested ? new JsonText(this.make, this.seen, this.nesting + 1) : this.make()
    return this.encoded(text, text.feed.push(before + decoded))
  }

  private encoded(text: Text, shown: string): string {
    const whole = text.half + shown
    text.half = /[\ud800-\udbff]$/.test(whole) ? whole.slice(-1) : ""
    return quote(text.half === "" ? whole : whole.slice(0, -1))
  }

  /** The end of a string, its quote included. */
  private end(text: Text): string {
    this.text = undefined
    this.levels.learn(text.role, text.head, text.size === text.head.length)
    if (text.kind === undefined) return `${quote(text.half + (text.feed?.flush() ?? text.head))}"`
    if (text.marked || text.size === 0) return '"'
    const plain = `${quote(this.whole(text.head))}"`
    if (text.unless === "path") return isPlace(text.head) ? plain : `${this.mark(text.kind)}"`
    this.pair = { plain, kind: text.kind }
    return ""
  }

  private whole(text: string): string {
    const one = this.make()
    return one.push(text) + one.flush()
  }
}
