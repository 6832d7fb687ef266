import { retryAfterMillis } from "../policy/network/retryAfter.ts"
import {
  ModelContextExceeded,
  ModelMalformed,
  ModelOverloaded,
  ModelRejected,
  ModelUnauthorized,
  type ModelError
} from "./ModelError.ts"
import * as Either from "effect/Either"
import { maxJsonDepth, parseJson } from "../text/Json.ts"
import { named, oneLine, type Origin } from "./Reason.ts"
import { ownValue } from "../text/ownValue.ts"

/** Levels of one chunk of an answer, the data of a call included. */
export const maxChunkDepth = 2 * maxJsonDepth

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}

const firstText = (...candidates: ReadonlyArray<unknown>): string | undefined =>
  candidates.find((candidate): candidate is string => typeof candidate === "string" && candidate.trim() !== "")

/** Names that servers give to errors inside a stream, as the HTTP status they would have had outside of it. */
const statusByName: Readonly<Record<string, number>> = {
  authentication_error: 401,
  invalid_api_key: 401,
  insufficient_quota: 402,
  billing_error: 402,
  permission_error: 403,
  timeout_error: 408,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  api_error: 500,
  internal_server_error: 500,
  server_error: 500,
  service_unavailable: 503,
  overloaded_error: 529
}

/** Names that servers give to a request that is too long. */
const contextNames: ReadonlySet<unknown> = new Set([
  "context_length_exceeded",
  "context_window_exceeded",
  "model_context_window_exceeded",
  "exceed_context_size_error",
  "request_too_large"
])

/** How servers without such a name say it: OpenAI, Anthropic, vLLM, llama.cpp, Ollama, Bedrock, Gemini, Mistral, Groq. */
const contextWords =
  /\b(?:maximum|max|model'?s?) context (?:length|window|size)|context (?:length|window|size) (?:of|is|was|exceeded|limit)|(?:exceeds?|exceeded|larger than|longer than|too (?:long|large) for) (?:the |its |this )?(?:model'?s? |available |maximum |max )*context|prompt is too long|prompt (?:contains )?too many tokens|input is too long|input (?:token count|length)[^.]{0,80}exceed|too many (?:input )?tokens|reduce the length of the (?:messages|prompt|input)/i

interface Described {
  readonly isTooLong: boolean
  readonly reason: string | undefined
  readonly status: number | undefined
}

const describe = (error: unknown): Described => {
  if (typeof error === "string") return { reason: error, status: undefined, isTooLong: contextWords.test(error) }
  const { code, type, status, message, detail } = record(error)
  const numeric = [status, code].map(Number).find((n) => Number.isInteger(n) && n >= 400 && n < 600)
  const byName = [code, type].map((name) => ownValue(statusByName, String(name))).find((n) => n !== undefined)
  const reason = firstText(message, detail, code, type)
  const isTooLong = contextNames.has(code) || contextNames.has(type) || contextWords.test(reason ?? "")
  return { reason, status: byName ?? numeric, isTooLong }
}

const parse = (text: string): unknown => Either.getOrUndefined(parseJson(text))

const describeBody = (body: string): Described => {
  const json = parse(body)
  if (json === undefined) {
    const title = /<title[^<>]*>([^<]+)/i.exec(body)?.[1]
    return { reason: firstText(title, body.replace(/<[^<>]*>/g, " ")), status: undefined, isTooLong: false }
  }
  const inner = Array.isArray(json) ? json[0] : json
  return describe(record(inner)["error"] ?? inner)
}

/** Statuses with which a server says that a request is too long. */
const tooLong: ReadonlySet<number> = new Set([400, 413, 422, 500])

const classify = (
  origin: Origin,
  status: number,
  reason: string,
  isTooLong: boolean,
  retryAfterMillis?: number
): ModelError => {
  const fields = { ...named(origin), status, reason }
  if (isTooLong && tooLong.has(status)) return new ModelContextExceeded(fields)
  if (status === 401 || status === 402 || status === 403) return new ModelUnauthorized(fields)
  if (status >= 500 || [408, 409, 425, 429].includes(status)) {
    return new ModelOverloaded(retryAfterMillis === undefined ? fields : { ...fields, retryAfterMillis })
  }
  return new ModelRejected(fields)
}

export interface Refusal {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** As much of the body as was read. */
  readonly body: string
}

/** An answer whose status is not 2xx. A quota that is used up (429 `insufficient_quota`) is not worth a retry. */
export const ofRefusal = (origin: Origin, refusal: Refusal, now: number): ModelError => {
  const described = describeBody(refusal.body)
  const status = described.status === 402 ? 402 : refusal.status
  const reason = oneLine(origin, described.reason ?? `the server only answered HTTP ${refusal.status}`)
  return classify(origin, status, reason, described.isTooLong, retryAfterMillis(refusal.headers, now))
}

/** An error object inside a stream or inside an answer of status 200. */
export const ofErrorObject = (origin: Origin, error: unknown): ModelError => {
  const described = describe(error)
  const reason = oneLine(origin, described.reason ?? "the server reported an error without details")
  if (described.status !== undefined) return classify(origin, described.status, reason, described.isTooLong)
  return described.isTooLong
    ? new ModelContextExceeded({ ...named(origin), reason })
    : new ModelRejected({ ...named(origin), reason })
}

export const malformed = (origin: Origin, reason: string): ModelMalformed =>
  new ModelMalformed({ ...named(origin), reason: oneLine(origin, reason) })
