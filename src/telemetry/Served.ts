import * as Url from "../text/Url.ts"
/** Who serves a model, and how it is asked. */
export interface Served {
  /** What the server is spoken to as: `openai`, `anthropic`, `chat-completions`, `scripted`. */
  readonly provider: string
  readonly url?: string
  /** Fields of the body of every request, by the names of its API. */
  readonly options?: Readonly<Record<string, unknown>>
}

/** Values of `gen_ai.provider.name` by the domain that answers. */
const providers: ReadonlyArray<readonly [domain: string, provider: string]> = [
  ["api.openai.com", "openai"],
  ["openai.azure.com", "azure.ai.openai"],
  ["services.ai.azure.com", "azure.ai.inference"],
  ["api.anthropic.com", "anthropic"],
  ["api.deepseek.com", "deepseek"],
  ["api.groq.com", "groq"],
  ["api.mistral.ai", "mistral_ai"],
  ["api.x.ai", "x_ai"],
  ["api.perplexity.ai", "perplexity"],
  ["api.cohere.ai", "cohere"],
  ["api.cohere.com", "cohere"],
  ["generativelanguage.googleapis.com", "gcp.gemini"],
  ["aiplatform.googleapis.com", "gcp.vertex_ai"],
  ["ml.cloud.ibm.com", "ibm.watsonx.ai"]
]

/** An unknown server is named by its address; its protocol is OpenAI's, as the conventions say. */
const providerOf = (served: Served | undefined, host: string): string => {
  if (served === undefined) return "_OTHER"
  if (served.provider !== "chat-completions") return served.provider
  if (/^bedrock-runtime\..*\.amazonaws\.com$/.test(host)) return "aws.bedrock"
  const match = providers.find(
    ([domain]) => host === domain || host.endsWith(`.${domain}`) || host.endsWith(`-${domain}`)
  )
  return match?.[1] ?? "openai"
}

const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** Only those attributes that have a value. */
export const known = (attributes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))

export const serverOf = (served: Served | undefined) => {
  const url = served?.url === undefined ? undefined : Url.parsed(served.url)
  const port = url && (url.port === "" ? (url.protocol === "http:" ? 80 : 443) : Number(url.port))
  return {
    "gen_ai.provider.name": providerOf(served, url?.hostname ?? ""),
    "server.address": url?.hostname,
    "server.port": port
  }
}

/** What of the options the conventions have a name for. */
export const parametersOf = ({ options = {} }: Served) => {
  const stop = options["stop"] ?? options["stop_sequences"]
  const choices = number(options["n"])
  return {
    "gen_ai.request.max_tokens": number(
      options["max_tokens"] ?? options["max_completion_tokens"] ?? options["max_output_tokens"]
    ),
    "gen_ai.request.temperature": number(options["temperature"]),
    "gen_ai.request.top_p": number(options["top_p"]),
    "gen_ai.request.top_k": number(options["top_k"]),
    "gen_ai.request.frequency_penalty": number(options["frequency_penalty"]),
    "gen_ai.request.presence_penalty": number(options["presence_penalty"]),
    "gen_ai.request.seed": number(options["seed"]),
    "gen_ai.request.stop_sequences": typeof stop === "string" ? [stop] : Array.isArray(stop) ? stop : undefined,
    "gen_ai.request.choice.count": choices === 1 ? undefined : choices
  }
}
