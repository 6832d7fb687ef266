import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { said } from "../ApiError.ts"

/** A request that cannot be served as it is; `param` names the part of it. */
export class InvalidRequest extends Schema.TaggedError<InvalidRequest>()(
  "InvalidRequest",
  {
    ...said,
    code: Schema.String,
    param: Schema.optionalWith(Schema.String, { exact: true })
  },
  HttpApiSchema.annotations({ status: 400 })
) {}

/** An error as OpenAI words it. */
export interface OpenAiError {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

/** The paths whose clients expect OpenAI's errors, also from what stands in front of them. */
const isOurs = (url: string): boolean => /^\/v1\/(?:models|chat\/completions|responses)(?:[/?]|$)/.test(url)

const types: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  429: "rate_limit_error"
}

const Ours = Schema.parseJson(
  Schema.Struct({
    _tag: Schema.String,
    message: Schema.String,
    error: Schema.optional(Schema.String),
    code: Schema.optional(Schema.String),
    param: Schema.optional(Schema.String),
    issues: Schema.optional(Schema.Array(Schema.Struct({ path: Schema.Array(Schema.Unknown) })))
  })
)
const decode = Schema.decodeUnknownEither(Ours)

/** `ApprovalNotPending` as `approval_not_pending`. */
const codeOf = (tag: string): string => tag.replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()

/** `messages[0].content` */
const paramOf = (path: ReadonlyArray<unknown>): string =>
  path
    .map((part) => (typeof part === "number" || /^\d+$/.test(String(part)) ? `[${part}]` : `.${part}`))
    .join("")
    .slice(1)

/** What went wrong behind a request that was right. */
const isOfServer = (code: string | null): boolean => code === "session_closed" || code?.startsWith("task_") === true

/** An error in OpenAI's words. */
export const openAiError = (status: number, message: string, code: string | null, param?: string): OpenAiError => ({
  error: {
    message,
    type: types[status] ?? (status >= 500 || isOfServer(code) ? "server_error" : "invalid_request_error"),
    param: param ?? null,
    code
  }
})

const decoder = new TextDecoder()

/** Says every error of these paths as OpenAI does. */
export const shaped = <E, R>(app: HttpApp.Default<E, R>) =>
  Effect.zipRight(
    HttpApp.appendPreResponseHandler(({ url }, response) =>
      Effect.sync(() => {
        const { body, status } = response
        if (status < 400 || body._tag !== "Uint8Array" || !isOurs(url)) return response
        const found = Either.getOrUndefined(decode(decoder.decode(body.body)))
        if (found === undefined) return response
        const { _tag: tag, code = codeOf(found.error ?? tag), issues: [issue] = [], message } = found
        const param = found.param ?? (issue === undefined ? undefined : paramOf(issue.path))
        const said = tag === "HttpApiDecodeError" ? "invalid_value" : code
        return HttpServerResponse.unsafeJson(openAiError(status, message, said, param), {
          status,
          headers: Object.fromEntries(
            Object.entries(response.headers).filter(([name]) => name !== "content-length" && name !== "content-type")
          )
        })
      })
    ),
    app
  )

const errorSchema = {
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["message", "type", "param", "code"],
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: ["string", "null"] }
      }
    }
  }
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

/** Documents the errors of an endpoint as they are said, and that an answer may come as a stream. */
export const documented = (streams: boolean) =>
  OpenApi.annotations({
    transform: (operation) => {
      const { responses } = operation as unknown as Operation
      const told = Object.entries(responses).map(([status, response]) => {
        if (Number(status) >= 400)
          return [status, { ...response, content: { "application/json": { schema: errorSchema } } }]
        const content = streams
          ? { ...response.content, "text/event-stream": { schema: { type: "string" } } }
          : response.content
        return [status, { ...response, ...(content === undefined ? {} : { content }) }]
      })
      return { ...operation, responses: Object.fromEntries(told) as Record<string, unknown> }
    }
  })
