import * as Schema from "effect/Schema"
import { Timespan } from "./Timespan.ts"
import * as Url from "../text/Url.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

const isHttp = (text: string): boolean => /^https?:$/.test(Url.parsed(text)?.protocol ?? "")

const BaseUrl = Schema.String.pipe(
  Schema.filter((text) => isHttp(text) || "expected an http or https URL", { identifier: "BaseUrl" })
)

const VariableName = Schema.String.pipe(Schema.pattern(/^[A-Za-z_][A-Za-z0-9_]*$/))

const common = {
  /** Requests in all before an answer counts as failed. */
  maxAttempts: optional(Schema.Int.pipe(Schema.between(1, 20))),
  /** Tokens that a request and its answer may have together, where that is known. */
  contextWindow: optional(Schema.Int.pipe(Schema.positive())),
  /** Profiles to ask, in this order, once this one has failed for good. */
  fallback: optional(Schema.Array(Schema.NonEmptyString))
}

const remote = {
  ...common,
  model: Schema.NonEmptyString,
  /** The environment variable with the key. */
  apiKeyVariable: optional(VariableName),
  headers: optional(Schema.Record({ key: Schema.String, value: Schema.String })),
  /** Further fields of the request's body. */
  options: optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  silenceTimeout: optional(Timespan)
}

export const ScriptedProfile = Schema.Struct({
  ...common,
  provider: Schema.Literal("scripted"),
  model: optional(Schema.NonEmptyString),
  /** The path of the script. */
  script: Schema.NonEmptyString
})
export type ScriptedProfile = typeof ScriptedProfile.Type

/** Without `apiKeyVariable` no key is sent, as local servers have it. */
export const ChatCompletionsProfile = Schema.Struct({
  ...remote,
  provider: Schema.Literal("chat-completions"),
  baseUrl: BaseUrl,
  /** @see ChatEndpoint */
  reasoningField: optional(Schema.NonEmptyString)
})
export type ChatCompletionsProfile = typeof ChatCompletionsProfile.Type

export const HostedProfile = Schema.Struct({
  ...remote,
  provider: Schema.Literal("openai", "anthropic"),
  baseUrl: optional(BaseUrl)
})
export type HostedProfile = typeof HostedProfile.Type

/** A named model configuration. It names where its key is and never holds it. */
export const Profile = Schema.Union(ScriptedProfile, ChatCompletionsProfile, HostedProfile)
export type Profile = typeof Profile.Type

export const hosted = {
  openai: { baseUrl: "https://api.openai.com/v1", apiKeyVariable: "OPENAI_API_KEY" },
  anthropic: { baseUrl: "https://api.anthropic.com", apiKeyVariable: "ANTHROPIC_API_KEY" }
} as const

/** The variable that must hold a key before the profile can be used. */
export const apiKeyVariable = (profile: Profile): string | undefined => {
  switch (profile.provider) {
    case "scripted":
      return undefined
    case "chat-completions":
      return profile.apiKeyVariable
    default:
      return profile.apiKeyVariable ?? hosted[profile.provider].apiKeyVariable
  }
}
