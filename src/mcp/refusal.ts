import type * as Library from "@modelcontextprotocol/client"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { errnoOf } from "../system/errno.ts"
import { legible } from "../text/legible.ts"
import { isLoginNeeded } from "./login/LoginError.ts"

/** Why a server has not carried out what was asked of it. */
export interface Refusal {
  /** As the end of a sentence. */
  readonly reason: string
  /** It knows the connection no more; only a new one can be of use. */
  readonly isOver: boolean
}

/** Nobody has had the request; by the names of Node and of its `fetch`. */
const unheard: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nobody listens there",
  ENOTFOUND: "its host is not known",
  EAI_AGAIN: "its host cannot be looked up now",
  EHOSTUNREACH: "its host cannot be reached",
  ENETUNREACH: "its network cannot be reached",
  UND_ERR_CONNECT_TIMEOUT: "its host takes no connection"
}

const codeOf = (error: unknown): string => (error instanceof Error ? errnoOf(error.cause) : "UNKNOWN")

/** Why a request failed on its way, where the library says no more than that it did. */
export const broken = (error: unknown): string | undefined => {
  const code = codeOf(error)
  return Object.hasOwn(unheard, code)
    ? unheard[code]
    : /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code)
      ? "the connection broke off"
      : undefined
}

/** What the library finds wrong in an answer. */
const issues = Schema.decodeUnknownOption(
  Schema.parseJson(
    Schema.NonEmptyArray(
      Schema.Struct({ path: Schema.Array(Schema.Union(Schema.String, Schema.Number)), message: Schema.String })
    )
  )
)

/** What is wrong in an answer that is not what the protocol has, which the library says as a list of issues in JSON. */
export const misshapen = (error: unknown): string | undefined => {
  const [, method, found] =
    error instanceof Error ? (/^Invalid result for (\S+): (\[.*)$/s.exec(error.message) ?? []) : []
  const all = found === undefined ? Option.none() : issues(found)
  if (method === undefined || Option.isNone(all)) return undefined
  const [first, ...others] = all.value
  const where = first.path.length === 0 ? "" : ` at ${first.path.join(".")}`
  const more = others.length === 0 ? "" : `, and ${others.length} more`
  return `its answer to ${method} is not what the protocol has${where}: ${first.message}${more}`
}

/** What fails while it is being carried out, and is nobody's refusal: RFC 9110, 15.5.9, and what proxies write for a client that left. */
const underway = new Set([408, 499])

/** `404 Not Found: …`, as far as there is more. */
const answered = (status: number, statusText: string | undefined, text: unknown): string => {
  const said = typeof text === "string" ? legible(text, 200).trim() : ""
  const name = [String(status), statusText].filter((one) => one !== undefined && one !== "").join(" ")
  return said === "" ? `it has answered ${name}` : `it has answered ${name}: ${said}`
}

/** An error of the library that says nothing of an answer without a text. */
const posted = Schema.decodeUnknownOption(
  Schema.Struct({
    message: Schema.TemplateLiteral("Error POSTing to endpoint", Schema.String),
    data: Schema.Struct({
      status: Schema.Number,
      statusText: Schema.optional(Schema.String),
      text: Schema.optional(Schema.Unknown)
    })
  })
)

/** What a server has answered by HTTP in place of a message. */
export const unwelcome = (error: unknown): string | undefined =>
  Option.getOrUndefined(
    Option.map(posted(error), ({ data: { status, statusText, text } }) => answered(status, statusText, text))
  )

/**
 * Why a request that is sent by HTTP was not carried out, where its failure proves that: nobody was there, a login is missing, or
 * the server refused it with a status of 4xx (RFC 9110, 15.5).
 */
export const refusalOf = (library: typeof Library, error: unknown): Refusal | undefined => {
  if (isLoginNeeded(error)) return { reason: error.message, isOver: false }
  if (error instanceof library.SdkHttpError) {
    const { data, status, statusText } = error
    if (status === undefined || status < 400 || status >= 500 || underway.has(status)) return undefined
    // What a server says of a session that it does not have: 404 by the protocol, 400 by the examples of its library.
    const isOver = status === 404 || (status === 400 && /session/i.test(String(data.text)))
    return { reason: isOver ? "its session has ended there" : answered(status, statusText, data.text), isOver }
  }
  const code = codeOf(error)
  return Object.hasOwn(unheard, code) ? { reason: unheard[code]!, isOver: true } : undefined
}
