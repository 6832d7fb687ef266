import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { GuardedFetch } from "../network/GuardedFetch.ts"
import { NetworkRules } from "../network/NetworkRules.ts"
import { scriptedNetwork } from "../network/ScriptedNetwork.ts"
import { allow, deny, type Verdict } from "../Verdict.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const record = <A, I>(value: Schema.Schema<A, I>) => Schema.Record({ key: Schema.String, value })
const rule = <K extends "allowHosts" | "denyHosts" | "optIn">(key: K) => NetworkRules.fields[key]

const Reply = Schema.Struct({
  status: optional(Schema.Int),
  location: optional(Schema.String),
  headers: optional(record(Schema.String)),
  body: optional(Schema.String)
})

/** Rules by the names that cases have for them. */
const Policy = Schema.Struct({
  allow: rule("allowHosts"),
  deny: rule("denyHosts"),
  allowPrivate: rule("optIn")
})

/** A URL, what its hosts resolve to at the first lookup, the second …, and what answers; a URL not listed answers 200. */
export const UrlInput = Schema.Struct({
  url: Schema.String,
  dns: optional(record(Schema.Array(Schema.Array(Schema.String)))),
  redirects: optional(record(Reply)),
  policy: optional(Policy)
})
export type UrlInput = typeof UrlInput.Type

const rulesOf = ({ policy }: UrlInput): NetworkRules =>
  NetworkRules.make({
    ...(policy?.allow && { allowHosts: policy.allow }),
    denyHosts: policy?.deny ?? [],
    optIn: policy?.allowPrivate ?? []
  })

/** Judges a fetch to its end, lookups and redirects included, on a network that never leaves the process. */
export const judgeUrl = (input: UrlInput): Effect.Effect<Verdict> =>
  Effect.flatMap(GuardedFetch, ({ fetch }) => fetch({ url: input.url })).pipe(
    Effect.map(({ url }) => allow("network/fetched", `${url} may be fetched`)),
    Effect.catchTags({
      FetchRefused: ({ reason, rule }) => Effect.succeed(deny(rule, reason)),
      FetchFailed: ({ reason, stage }) => Effect.succeed(deny(`network/failed-${stage}`, reason))
    }),
    Effect.provide(
      Layer.provide(GuardedFetch.layerGuard(rulesOf(input)), scriptedNetwork(input.dns, input.redirects).layer)
    )
  )
