import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { FetchFailed, FetchRefused } from "../../src/policy/network/FetchError.ts"
import type { FetchedPage } from "../../src/policy/network/FetchedPage.ts"
import { GuardedFetch } from "../../src/policy/network/GuardedFetch.ts"
import { NetworkRules } from "../../src/policy/network/NetworkRules.ts"
import { scriptedNetwork } from "./ScriptedNetwork.ts"
import { allow, deny, type Verdict } from "../../src/policy/Verdict.ts"
import { Reply } from "./Reply.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })
const record = <A, I>(value: Schema.Schema<A, I>) => Schema.Record({ key: Schema.String, value })
const rule = <K extends "allowHosts" | "denyHosts" | "optIn">(key: K) => NetworkRules.fields[key]

const Redirect = Schema.Struct(
  {
    status: optional(Schema.Int),
    location: optional(Schema.String),
    headers: optional(record(Schema.String)),
    body: optional(Schema.String)
  },
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
)

/** Rules by the names that cases have for them. */
const Policy = Schema.Struct({
  allow: rule("allowHosts"),
  deny: rule("denyHosts"),
  allowPrivate: rule("optIn")
})

/**
 * A URL, what its hosts resolve to at the first lookup, the second …, and what answers; a URL not listed answers 200. What
 * stands in `response`, `limits` (as those of the rules) and `env` counts where a server answers.
 */
export const UrlInput = Schema.Struct({
  url: Schema.String,
  dns: optional(record(Schema.Array(Schema.Array(Schema.String)))),
  redirects: optional(record(Redirect)),
  policy: optional(Policy),
  response: optional(Reply),
  limits: optional(record(Schema.Number)),
  env: optional(record(Schema.String))
})
export type UrlInput = typeof UrlInput.Type

export const rulesOf = ({ policy }: UrlInput): NetworkRules =>
  NetworkRules.make({
    ...(policy?.allow && { allowHosts: policy.allow }),
    denyHosts: policy?.deny ?? [],
    optIn: policy?.allowPrivate ?? []
  })

/** What comes of a fetch, as a verdict. */
export const verdictOf = Either.match({
  onLeft: (error: FetchRefused | FetchFailed): Verdict =>
    error._tag === "FetchRefused"
      ? deny(error.rule, error.reason)
      : deny(`network/failed-${error.stage}`, error.reason),
  onRight: ({ url }: FetchedPage): Verdict => allow("network/fetched", `${url} may be fetched`)
})

/** Judges a fetch to its end, lookups and redirects included, on a network that never leaves the process. */
export const judgeUrl = (input: UrlInput): Effect.Effect<Verdict> =>
  Effect.flatMap(GuardedFetch, ({ fetch }) => fetch({ url: input.url })).pipe(
    Effect.either,
    Effect.map(verdictOf),
    Effect.provide(
      Layer.provide(GuardedFetch.layerGuard(rulesOf(input)), scriptedNetwork(input.dns, input.redirects).layer)
    )
  )
