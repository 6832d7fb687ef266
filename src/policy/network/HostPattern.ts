import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Url from "../../text/Url.ts"

/** A bracketed IPv6 address, or labels of letters, digits, `-` and `_` in the lengths of RFC 1035. */
export const isHost = (name: string): boolean =>
  /^\[[0-9a-f:.]+\]$/.test(name) ||
  (name.length <= 253 && name.split(".").every((label) => /^[a-z0-9_-]{1,63}$/.test(label)))

/** Lower case, punycode, one spelling per address, no trailing dot; none for what is not a host. */
export const canonicalHost = (host: string): string | undefined => {
  const hostname = /[\s/?#@\\]/.test(host) ? undefined : Url.parsed(`http://${host}/`)?.hostname
  if (hostname === undefined) return undefined
  const name = unmapped(hostname.endsWith(".") ? hostname.slice(0, -1) : hostname)
  return isHost(name) ? name : undefined
}

/** An IPv4 address in the form of an IPv6 one (RFC 4291, 2.5.5.2) by the name that it has as itself. */
const unmapped = (name: string): string => {
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(name) ?? []
  if (high === undefined || low === undefined) return name
  return [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]).join(".")
}

/** The hosts that an entry of a list names; an entry without a port means every port. */
export class HostPattern extends Schema.Class<HostPattern>("HostPattern")({
  /** Canonical; `*` is every host. */
  host: Schema.String,
  /** Only the names below `host`, not `host` itself. */
  below: Schema.Boolean,
  port: Schema.UndefinedOr(Schema.Number)
}) {
  /** Compares whole labels: `docs.example` matches neither `evildocs.example` nor `docs.example.evil.test`. */
  matches(host: string, port: number): boolean {
    if (this.port !== undefined && this.port !== port) return false
    if (this.host === "*") return true
    return this.below ? host.endsWith(`.${this.host}`) : host === this.host
  }

  /** As `matches`, and a name brings the names below it, which belong to the same owner: the reading for a deny list. */
  covers(host: string, port: number): boolean {
    const underneath = (this.port ?? port) === port && host.endsWith(`.${this.host}`)
    return underneath || this.matches(host, port)
  }

  override toString(): string {
    return `${this.below ? "*." : ""}${this.host}${this.port === undefined ? "" : `:${this.port}`}`
  }
}

const parse = (text: string): Either.Either<HostPattern, string> => {
  const [, wildcard, name = "", digits] = /^(\*\.)?(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? []
  const host = name === "*" && wildcard === undefined ? "*" : canonicalHost(name)
  const port = digits === undefined ? undefined : Number(digits)
  return host === undefined || (port !== undefined && (port < 1 || port > 65_535))
    ? Either.left(
        `${JSON.stringify(text)} names no host; write name, *.name, *, address or [address], with :port if wanted`
      )
    : Either.right(new HostPattern({ host, below: wildcard !== undefined, port }, { disableValidation: true }))
}

/** `docs.example` is that host alone, `*.docs.example` the names below it, `*` every host; each may end in `:port`. */
export const HostPatternFromString = Schema.transformOrFail(Schema.String, Schema.typeSchema(HostPattern), {
  strict: true,
  decode: (text, _, ast) => Either.mapLeft(parse(text), (reason) => new ParseResult.Type(ast, text, reason)),
  encode: (pattern) => Either.right(pattern.toString())
})
