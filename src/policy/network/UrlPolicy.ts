import * as Either from "effect/Either"
import { allow, deny, type Verdict } from "../Verdict.ts"
import { addressKind } from "./Address.ts"
import { isHost } from "./HostPattern.ts"
import type { NetworkRules } from "./NetworkRules.ts"
import * as Url from "../../text/Url.ts"

/** Characters. */
const maxUrl = 8192

/** Names that RFC 6761, RFC 6762, RFC 8375 and ICANN keep out of the public DNS, and those that machines give themselves. */
const localNames = (
  "localhost localdomain local internal home.arpa onion localhost4 localhost6 ip6-localhost ip6-loopback metadata " +
  "instance-data rancher-metadata"
).split(" ")

/** Names under which clouds serve metadata, regardless of their addresses. */
const metadataNames = new Set(
  (
    "metadata.google.internal metadata.goog instance-data.ec2.internal metadata.tencentyun.com metadata.packet.net " +
    "metadata.platformequinix.com api.metadata.cloud.ibm.com"
  ).split(" ")
)

/** A URL that may be looked up and connected to. */
export interface Target {
  /** Canonical, without a trailing dot, user information or fragment. */
  readonly url: URL
  /** As the rules know it: lower case, punycode, IPv6 in brackets. */
  readonly host: string
  readonly port: number
  /** The host is this address: it is judged already and nothing is looked up. */
  readonly literal: string | undefined
}

const refuse = (rule: string, reason: string): Either.Either<never, Verdict> =>
  Either.left(deny(`network/${rule}`, reason))

const optedIn = (host: string, port: number, rules: NetworkRules): boolean =>
  rules.optIn.some((_) => _.matches(host, port))

const literalOf = (host: string): string | undefined => {
  if (host.startsWith("[")) return host.slice(1, -1)
  return /^[\d.]+$/.test(host) ? host : undefined
}

/** Judges an address that `host` was found to have; every address of a host must pass before one is connected to. */
export const judgeAddress = (address: string, host: string, port: number, rules: NetworkRules): Verdict => {
  const kind = addressKind(address)
  switch (kind) {
    case "public":
      return allow("network/public-address", `${address} is a public address`)
    case "invalid":
      return deny("network/address-invalid", `${host} resolves to ${JSON.stringify(address)}, which is not an address`)
    case "metadata":
      return deny(
        "network/metadata",
        `${host} is at ${address}, a link-local or cloud metadata address, which is always denied`
      )
    default:
      return optedIn(host, port, rules)
        ? allow("network/opted-in", `${host}:${port} is allowed by network.open`)
        : deny(
            "network/private-address",
            `${host} is at ${address}, which is not a public address (${kind}); to allow it, add ${host}:${port} to network.open`
          )
  }
}

const judgeHost = (host: string, port: number, rules: NetworkRules): Either.Either<void, Verdict> => {
  const denied = rules.denyHosts.find((_) => _.covers(host, port))
  if (denied) return refuse("denied-host", `${host} is denied by ${denied}`)
  if (rules.allowHosts && !rules.allowHosts.some((_) => _.matches(host, port))) {
    return refuse("host-not-allowed", `${host}:${port} is not on the list of allowed hosts`)
  }
  if (metadataNames.has(host)) return refuse("metadata", `${host} serves cloud metadata, which is always denied`)
  if (optedIn(host, port, rules)) return Either.void
  const remedy = `to allow it, add ${host}:${port} to network.open`
  if (localNames.some((name) => host === name || host.endsWith(`.${name}`)))
    return refuse("local-name", `${host} is a local name; ${remedy}`)
  return rules.ports.includes(port)
    ? Either.void
    : refuse("port", `port ${port} is not one of ${rules.ports.join(", ")}; ${remedy}`)
}

/** Judges a URL before anything is looked up; what it refuses can never be reached by asking again. */
export const judgeUrl = (input: string, rules: NetworkRules): Either.Either<Target, Verdict> => {
  if (input.length > maxUrl) return refuse("too-long", `a URL has at most ${maxUrl} characters`)
  if (/\p{Cc}|^\s|\s$/u.test(input))
    return refuse("raw-character", "the URL has control characters or surrounding spaces")
  const url = Url.parsed(input)
  if (url === undefined) return refuse("not-a-url", "it is not an absolute URL; write https://host/path")
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    return refuse("scheme", `${url.protocol} is not http: or https:`)
  }
  const authority = /^https?:\/\/([^/?#\\]+)(\\?)/i.exec(input)
  if (!authority || authority[2] !== "" || /^[^?#]*\\/.test(input)) {
    return refuse("ambiguous", "programs parse this URL differently; write https://host/path with forward slashes")
  }
  if (url.username !== "" || url.password !== "" || authority[1]?.includes("@")) {
    return refuse("credentials", "a URL must not carry a user name or password")
  }
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1)
  url.hash = ""
  const host = url.hostname
  if (!isHost(host)) return refuse("host-invalid", `${JSON.stringify(host)} is not a host name`)
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port)
  const literal = literalOf(host)
  const verdict = literal === undefined ? undefined : judgeAddress(literal, host, port, rules)
  if (verdict?.decision === "deny") return Either.left(verdict)
  return Either.map(judgeHost(host, port, rules), () => ({ url, host, port, literal }))
}

/** Judges where a redirect leads as a URL of its own, and that it does not give up encryption. */
export const judgeRedirect = (from: Target, location: string, rules: NetworkRules): Either.Either<Target, Verdict> => {
  if (/\p{Cc}/u.test(location)) return refuse("raw-character", "the redirect contains control characters")
  const next = Url.parsed(location, from.url)
  if (next === undefined) return refuse("not-a-url", "the redirect is not a URL")
  return Either.flatMap(judgeUrl(next.href, rules), (target) =>
    from.url.protocol === "https:" && target.url.protocol === "http:"
      ? refuse("downgrade", `the redirect to ${target.host} is not encrypted`)
      : Either.right(target)
  )
}
