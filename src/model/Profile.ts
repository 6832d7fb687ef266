import * as Schema from "effect/Schema"
import { free, Price } from "../cost/Price.ts"
import type { Terms } from "../cost/Terms.ts"
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
  /** Tokens of an answer, which the server is told not to exceed. */
  maxOutputTokens: optional(Schema.Int.pipe(Schema.positive())),
  /** What the model costs, instead of the list price of its name; `free` for one of your own. */
  price: optional(Schema.Union(Schema.Literal("free"), Price)),
  /** Whether the model can be shown images; by its name if unset. */
  images: optional(Schema.Boolean),
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

/** Anthropic wants a limit with every request; all of its models since 2024 can write this much. */
export const anthropicOutput = 8192

/** What the longest answer is called in the body of a request; the first is how we say it. */
const outputFields = {
  "chat-completions": ["max_tokens", "max_completion_tokens"],
  openai: ["max_output_tokens"],
  anthropic: ["max_tokens"]
} as const

/** The longest answer that the fields of the body ask for. */
const writtenOutput = (profile: Exclude<Profile, ScriptedProfile>): number | undefined =>
  outputFields[profile.provider]
    .map((field) => profile.options?.[field])
    .find((value): value is number => typeof value === "number" && value > 0)

/** The fields of the body, the longest answer included. */
export const optionsOf = (profile: Exclude<Profile, ScriptedProfile>): Readonly<Record<string, unknown>> => {
  const { maxOutputTokens, options = {}, provider } = profile
  return maxOutputTokens === undefined || writtenOutput(profile) !== undefined
    ? options
    : { [outputFields[provider][0]]: maxOutputTokens, ...options }
}

/** The longest answer that its server gives; unset if unknown. */
const longestOf = (profile: Profile): number | undefined =>
  (profile.provider === "scripted" ? undefined : writtenOutput(profile)) ??
  profile.maxOutputTokens ??
  (profile.provider === "anthropic" ? anthropicOutput : undefined)

/** The profile with an answer of so many tokens at most, where nothing bounds it. */
export const bounded = (profile: Profile, maxOutputTokens: number): Profile =>
  longestOf(profile) === undefined ? { ...profile, maxOutputTokens } : profile

/** Models that can be shown images, by how their names begin behind that of whoever serves them. */
const seeing =
  /(?:^|[/:])(?:gpt-4o|gpt-4\.1|gpt-4-turbo|gpt-5|o[134](?:-|$)(?!mini-2024)|chatgpt|claude-(?:3|opus|sonnet|haiku)|gemini|gemma-?3|pixtral|mistral-(?:small-3|medium-3)|llava|llama-?4|llama-?3\.2-vision|qwen[\d.]*-?vl|qvq|grok-4|minicpm-v|internvl)/i

/** Whether the model of a profile can be shown images. */
export const takesImages = (profile: Profile): boolean =>
  profile.images ?? (profile.provider !== "scripted" && seeing.test(profile.model))

/** What a profile says of its terms. */
export const termsOf = (name: string, profile: Profile): Omit<Terms, "name"> => {
  const { contextWindow, price } = profile
  const maxOutputTokens = longestOf(profile)
  return {
    profile: name,
    ...(price === undefined ? {} : { price: price === "free" ? free : price }),
    ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    ...(takesImages(profile) ? { images: true } : {})
  }
}
