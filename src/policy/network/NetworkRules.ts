import * as Schema from "effect/Schema"
import { HostPatternFromString } from "./HostPattern.ts"

/** Entries of a list of hosts. */
export const Hosts = Schema.Array(HostPatternFromString)
const positive = Schema.Int.pipe(Schema.positive())
const withDefault = <A, I>(schema: Schema.Schema<A, I>, value: A) =>
  Schema.optionalWith(schema, { exact: true, default: () => value })

/** Sizes in bytes, times in milliseconds. */
export const NetworkLimits = Schema.Struct({
  /** Of the decoded body; what is beyond is cut off and not read. */
  maxBytes: withDefault(positive, 1024 * 1024),
  maxHeaderBytes: withDefault(positive, 16 * 1024),
  /** From the start of a connection to the end of the headers. */
  headersMs: withDefault(positive, 10_000),
  /** The longest silence inside a body. */
  idleMs: withDefault(positive, 10_000),
  /** Everything together, the lookups and redirects included. */
  totalMs: withDefault(positive, 30_000)
})

/** `host:port` entries. */
export const OptIns = Schema.Array(
  HostPatternFromString.pipe(
    Schema.filter((_) => (_.port !== undefined && !_.below && _.host !== "*") || "an opt-in is one host and one port")
  )
)

/** What an operator lets a fetch reach. */
export const NetworkRules = Schema.Struct({
  /** Where it is given, nothing else is reached; it never opens an address that is not public. */
  allowHosts: Schema.optionalWith(Hosts, { exact: true }),
  /** Wins over everything; a name also denies the names below it. */
  denyHosts: withDefault(Hosts, []),
  ports: withDefault(Schema.Array(Schema.Int.pipe(Schema.between(1, 65_535))), [80, 443, 8080, 8443]),
  /** `host:port` entries that may lie at an address that is not public, on a port that is not listed. */
  optIn: withDefault(OptIns, []),
  maxRedirects: withDefault(Schema.Int.pipe(Schema.between(0, 20)), 5),
  limits: withDefault(NetworkLimits, NetworkLimits.make({}))
})
export type NetworkRules = typeof NetworkRules.Type

export const defaultRules: NetworkRules = Schema.decodeSync(NetworkRules)({})
