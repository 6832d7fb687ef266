import { isPlace, isReference, trailing } from "./Assigned.ts"
import { findings, masked, type Holds, render } from "./Finding.ts"
import { type LexemeKind, windowSize } from "./Lexer.ts"
import { type Hidden, shownOf } from "./Hidden.ts"
import { isPlaceholder, Logins } from "./Logins.ts"
import { mark } from "./Mark.ts"
import { headerIn, type Named, namedAtEnd } from "./Named.ts"
import { maxBody, PrivateKey } from "./PrivateKey.ts"
import { bareScheme, isCredential, scheme, telling } from "./Wording.ts"

const puttyStart = "Private-Lines:"
const puttyEnd = "Private-MAC:"

type Kind = Exclude<LexemeKind, "window">

/** A value as its mark, but for the signs behind it; one that is masked already stays. */
const maskedValue = (kind: string, value: string): string => {
  const end = masked.test(value) ? 0 : value.length - trailing(value)
  return end === 0 ? value : mark(kind) + value.slice(end)
}

const headers = new Set(["authorization", "cookie"])

export interface Said {
  readonly shown: string
  /** How much of the read text this covers; it may be a part of a window. */
  readonly length: number
}

/** Reads lexemes one by one, says what may be shown of them, and remembers what their order means for the next. */
export class Reader {
  private last = ""
  private open: string | undefined
  private named: Named | undefined
  private hidden: Hidden | undefined
  private credentials: "header" | "bare" | undefined
  private readonly key = new PrivateKey()
  private readonly logins = new Logins()
  /** The number of lines of a PuTTY key was announced. */
  private putty = false
  private readonly holds: Holds | undefined

  private readonly keys: boolean

  /** Without `keys` the bodies of private keys are left to the caller. */
  constructor(holds: Holds | undefined, keys = true) {
    this.holds = holds
    this.keys = keys
  }

  /** Ends what is left out. */
  expose(): void {
    this.hidden = undefined
  }

  /** Whether the omitted text contains a quote, after which it continues with its own mark. */
  amid(quote: string): boolean {
    if (this.hidden === undefined || this.hidden.quote === quote) return false
    this.hidden.shown = false
    return true
  }

  /** Forgets everything announced on the line, except by command lines. */
  stop(): void {
    this.hidden = undefined
    this.named = undefined
    this.credentials = undefined
    this.open = undefined
    this.putty = false
  }

  /** A line begins, and nothing before it says what is in it. */
  get isFresh(): boolean {
    return (this.last === "" || this.last === "\n") && this.hidden === undefined && this.logins.isIdle
  }

  reset(): void {
    this.newline()
    this.logins.reset()
    this.hidden = undefined
    this.last = ""
  }

  read(kind: LexemeKind, text: string): Said {
    const said = kind === "window" ? this.window(text) : { shown: this.step(kind, text), length: text.length }
    this.last = text.charAt(said.length - 1)
    return said
  }

  private step(kind: Kind, text: string): string {
    if (this.hidden) return this.within(this.hidden, kind, text)
    switch (kind) {
      case "piece":
        return this.piece(text)
      case "quote":
        return this.quote(text)
      case "newline":
        this.newline()
        return text
      case "space":
        if (this.named?.element && this.named.sign !== "") this.named = undefined
        return text
      case "angle":
        this.angle(text)
        return text
    }
  }

  private newline(): void {
    this.named = undefined
    this.credentials = undefined
    this.open = undefined
    this.putty = false
    this.logins.newline(this.last === "\\")
    this.key.newline()
  }

  private angle(text: string): void {
    this.credentials = undefined
    if (text === ">" && this.named?.element && /\w/.test(this.last)) this.named = { ...this.named, sign: text }
    else if (text === "<" || this.named?.sign === "") this.named = undefined
  }

  private quote(text: string): string {
    const { named, open } = this
    this.credentials = undefined
    if (open === text) {
      this.open = undefined
      if (named && named.sign !== "" && named.within === text) this.named = undefined
    } else if (open === undefined && !(text === "'" && /\w/.test(this.last))) this.open = text
    if (!this.named || this.named.sign === "") return text
    this.open = undefined
    const { kind, place = false } = this.named
    return text + this.hide({ kind, until: "quote", quote: text, shown: false, place })
  }

  /** Starts leaving text out, at its mark where that is shown at once. */
  private hide(hidden: Hidden): string {
    this.hidden = hidden
    this.named = undefined
    this.credentials = undefined
    return hidden.shown ? mark(hidden.kind) : ""
  }

  private resume(kind: Kind, text: string): string {
    this.hidden = this.hidden?.outer
    return text === "" ? "" : this.step(kind, text)
  }

  private within(hidden: Hidden, kind: Kind, text: string): string {
    if (hidden.until === "footing") {
      if (kind === "newline") return this.key.newline() ? this.resume(kind, text) : ""
      if (kind !== "piece") return ""
      const end = this.key.body(text)
      return end === undefined
        ? shownOf(hidden)
        : (end === 0 ? "" : shownOf(hidden)) + this.resume(kind, text.slice(end))
    }
    if (hidden.until === "mac") {
      const end = kind === "piece" ? text.indexOf(puttyEnd) : -1
      hidden.size = (hidden.size ?? 0) + text.length
      const shown = kind === "piece" ? shownOf(hidden) : ""
      return end === -1 && hidden.size <= maxBody ? shown : shown + this.resume(kind, text.slice(Math.max(0, end)))
    }
    if (hidden.until === "piece" && kind !== "piece") return this.resume(kind, text)
    if (kind === "quote" && text === hidden.quote) {
      this.hidden = undefined
      this.open = undefined
      return text
    }
    if (kind === "newline" && hidden.quote !== "`") return this.resume(kind, text)
    if (hidden.place === true && !hidden.shown && kind === "piece" && isPlace(text)) {
      this.open = hidden.quote
      return this.resume(kind, text)
    }
    if (kind !== "piece") return hidden.until === "quote" ? shownOf(hidden) : ""
    const body = this.heading(text)
    const shown = shownOf(hidden)
    return body === undefined ? shown : shown + this.privateKey(text.slice(body), hidden)
  }

  private heading(text: string): number | undefined {
    return this.keys ? this.key.heading(text) : undefined
  }

  /** Leaves out the body of a key, of which this is the beginning. */
  private privateKey(body: string, outer?: Hidden): string {
    const hidden: Hidden = {
      kind: "private-key",
      until: "footing",
      quote: undefined,
      shown: false,
      ...(outer && { outer, shown: true })
    }
    this.hide(hidden)
    this.hidden = hidden
    return body === "" ? "" : this.within(hidden, "piece", body)
  }

  private piece(text: string): string {
    const { credentials, named, putty } = this
    this.credentials = undefined
    this.putty = this.keys && text.endsWith(puttyStart)
    if (putty) {
      const [count] = /^\d{1,3}(?=$|\\)/.exec(text) ?? []
      if (count !== undefined) {
        this.hidden = { kind: "private-key", until: "mac", quote: undefined, shown: false }
        return count + (count === text ? "" : this.within(this.hidden, "piece", text.slice(count.length)))
      }
    }
    const announced = this.logins.read(text)
    if (credentials === "header" || (credentials === "bare" && isCredential(text))) {
      this.named = undefined
      return maskedValue("authorization", text)
    }
    if (announced !== undefined && !(named && named.sign !== "")) {
      const { at, pair } = announced
      const login: Named = { kind: "password", sign: " ", element: false, within: this.open, pair }
      if (at !== "next") return text.slice(0, at) + this.value(login, text.slice(at))
      this.named = login
      return text
    }
    const lead = named ? (/^[=:]{1,3}/.exec(text)?.[0] ?? "") : ""
    if (!named || (named.sign === "" && lead === "")) return this.plain(text)
    return lead + this.value({ ...named, sign: named.sign + lead }, text.slice(lead.length))
  }

  private value(named: Named, value: string): string {
    this.named = named
    if (/^[[(]*$/.test(value) || /^[bfru]{1,2}$/i.test(value)) return value
    this.named = undefined
    if (named.place === true && isPlace(value)) return this.plain(value)
    if (named.kind === "authorization" && scheme.test(value)) {
      this.credentials = "header"
      return value
    }
    if (named.pair !== undefined) {
      const colon = value.indexOf(named.pair) + 1
      const secret = value.slice(colon)
      return colon === 0 || isReference(secret) || isPlaceholder(secret)
        ? this.plain(value)
        : value.slice(0, colon) + maskedValue(named.kind, secret)
    }
    if (isReference(value)) return this.plain(value)
    if (headers.has(named.kind) && named.sign.endsWith(":")) {
      return this.hide({ kind: named.kind, until: "line", quote: this.open, shown: true })
    }
    return maskedValue(named.kind, value)
  }

  private plain(text: string): string {
    this.named = undefined
    const body = this.heading(text)
    if (body === undefined && !telling.test(text)) return text
    if (body !== undefined) return text.slice(0, body) + this.privateKey(text.slice(body))
    const start = headerIn(text, this.open)
    if (start) return this.plain(text.slice(0, start.at - 1)) + ":" + this.value(start.named, text.slice(start.at))
    const found = findings(text, this.holds)
    if (found.at(-1)?.end !== text.length) this.remember(text)
    return render(text, found)
  }

  /** Notes what the end of a piece says about what comes next. */
  private remember(text: string): void {
    if (bareScheme.test(text.slice(-8))) this.credentials = "bare"
    this.named = namedAtEnd(text, this.last, this.open) ?? this.named
  }

  /** Of an over-long piece its first half, or up to the end of a secret across the middle. */
  private window(text: string): Said {
    if (this.hidden) return { shown: this.within(this.hidden, "piece", text), length: text.length }
    const lead = /^[=:]{0,3}/.exec(text)![0]
    if (this.credentials || (this.named && (this.named.sign !== "" || lead !== ""))) {
      const kind = this.named?.kind ?? "authorization"
      return { shown: lead + this.hide({ kind, until: "piece", quote: undefined, shown: true }), length: text.length }
    }
    this.named = undefined
    const found = telling.test(text) ? findings(text, this.holds) : []
    const middle = windowSize / 2
    const cut = middle - (/[\udc00-\udfff]/.test(text.charAt(middle)) ? 1 : 0)
    const across = found.find((_) => _.start < cut && _.end > cut)
    const length = across?.end ?? cut
    if (length === text.length) this.hide({ kind: across!.kind, until: "piece", quote: undefined, shown: true })
    const shown = render(
      text.slice(0, length),
      found.filter((_) => _.end <= length)
    )
    return { shown, length }
  }
}
