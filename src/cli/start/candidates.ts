import * as Option from "effect/Option"
import type { Profile } from "../../model/Profile.ts"
import { hosted } from "../../model/Profile.ts"
import * as Url from "../../text/Url.ts"

/** A server of models that a profile could name. */
export interface Server {
  /** What its profile would be called. */
  readonly name: string
  readonly provider: Exclude<Profile["provider"], "scripted">
  readonly baseUrl: string
  /** The variable with its key. */
  readonly variable?: string
  /** A model to begin with where none are listed. */
  readonly model?: string
}

/** Servers that take a key, by the variable that usually has it. */
export const services: ReadonlyArray<Server & { readonly variable: string }> = [
  {
    name: "openai",
    provider: "openai",
    baseUrl: hosted.openai.baseUrl,
    variable: hosted.openai.apiKeyVariable,
    model: "gpt-5"
  },
  {
    name: "anthropic",
    provider: "anthropic",
    baseUrl: hosted.anthropic.baseUrl,
    variable: hosted.anthropic.apiKeyVariable,
    model: "claude-sonnet-4-5"
  },
  ...[
    ["openrouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"],
    ["gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"],
    ["mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"],
    ["deepseek", "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"],
    ["groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"],
    ["xai", "https://api.x.ai/v1", "XAI_API_KEY"]
  ].map(([name = "", baseUrl = "", variable = ""]) => ({
    name,
    provider: "chat-completions" as const,
    baseUrl,
    variable
  }))
]

type Env = Readonly<Record<string, string | undefined>>

/** Whether a variable holds something. */
export const isSet = (env: Env, variable: string): boolean => (env[variable] ?? "").trim() !== ""

/** Where Ollama serves on this machine: its own variable names another port. */
export const ollama = (env: Env): Option.Option<Server> => {
  const text = (env["OLLAMA_HOST"] ?? "").trim()
  const url = Url.parsed(/^https?:\/\//.test(text) ? text : `http://${text === "" ? "127.0.0.1" : text}`)
  if (url === undefined) return Option.none()
  const host = ["0.0.0.0", "[::]"].includes(url.hostname) ? "127.0.0.1" : url.hostname
  if (!isLoopback(host)) return Option.none()
  const port = url.port === "" ? "11434" : url.port
  return Option.some({ name: "ollama", provider: "chat-completions", baseUrl: `http://${host}:${port}/v1` })
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "[::1]" || /^127\.[\d.]+$/.test(host)

/** The server behind a URL that a person typed; why not where it is none. */
export const fromUrl = (text: string): Server | { readonly problem: string } => {
  const url = Url.parsed(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`)
  if (url === undefined || !/^https?:$/.test(url.protocol)) return { problem: "expected an http or https URL" }
  if (url.username !== "" || url.password !== "") {
    return { problem: "a URL with a password in it is not kept; name a variable with the key instead" }
  }
  const path = url.pathname.replace(/\/(?:chat\/completions|models)?\/*$/, "")
  const labels = url.hostname.split(".")
  const name = isLoopback(url.hostname) || /^[\d.:[\]]+$/.test(url.hostname) ? "local" : (labels.at(-2) ?? labels[0])
  return {
    name: name?.replaceAll(/[^a-z0-9-]/gi, "-") ?? "local",
    provider: "chat-completions",
    baseUrl: `${url.origin}${path === "" ? "/v1" : path}`
  }
}

/** The profile that asks a model of a server. */
export const profileOf = (
  { baseUrl, provider, variable }: Server,
  model: string
): Exclude<Profile, { provider: "scripted" }> => {
  const key = variable === undefined ? {} : { apiKeyVariable: variable }
  if (provider === "chat-completions") return { provider, baseUrl, model, ...key }
  const own = hosted[provider]
  return {
    provider,
    model,
    ...(baseUrl === own.baseUrl ? {} : { baseUrl }),
    ...(variable === own.apiKeyVariable ? {} : key)
  }
}
