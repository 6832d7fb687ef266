import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import * as HttpApp from "@effect/platform/HttpApp"
import { RequestError, RouteNotFound } from "@effect/platform/HttpServerError"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Chunk from "effect/Chunk"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { missing, mistakesAmong } from "../redaction/Mistake.ts"
import { redactText } from "../redaction/Redactor.ts"
import { Failed, Forbidden, MethodNotAllowed, NotFound } from "./ApiError.ts"
import { answerOf } from "./answerOf.ts"
import { callerOf, type Judging } from "./Authorization.ts"
import { checkedBody, hasBody, login, pathOf } from "./Body.ts"
import { isOwnHost, Listening } from "./Listening.ts"
import { methodsAt } from "./methodsAt.ts"

const isRouteNotFound = (error: unknown): error is RouteNotFound => error instanceof RouteNotFound

type Headers = Readonly<Record<string, string | undefined>>

/** What every answer says to a browser, unless it says otherwise itself. */
const protection = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer"
}

/** Whether a person follows a link to a page, which shows the page and does nothing. */
const isVisit = (method: string, headers: Headers): boolean =>
  method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-fetch-dest"] === "document"

/** Why a request is none of a page of ours or of a program of the user; nothing if it is. */
export const foreign = (
  method: string,
  headers: Headers,
  listening: Pick<Listening["Type"], "host" | "names">
): string | undefined => {
  const { host = "", origin } = headers
  if (!isOwnHost(host, listening)) {
    return `The host ${JSON.stringify(host.slice(0, 100))} is not one of this server. Use its address, or name the host when the server starts.`
  }
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return `Pages of ${JSON.stringify(origin.slice(0, 100))} cannot use this server.`
  }
  const site = headers["sec-fetch-site"]
  if (site !== undefined && site !== "same-origin" && site !== "none" && !isVisit(method, headers)) {
    return "Pages of other sites cannot use this server."
  }
  return undefined
}

/** A fault is told without its detail, which the log has. */
const failed = (cause: Cause.Cause<unknown>) =>
  Effect.as(
    Effect.logError("A request crashed", cause),
    answerOf(new Failed({ message: "Internal error. This is a bug in Tollgate; its log shows where." }))
  )

/** Issues that are told of a request, and characters of their message. */
const maxIssues = 20
const maxMessage = 600

const sentence = (text: string): string => (text.length > maxMessage ? `${text.slice(0, maxMessage)}…` : text)

type Issue = HttpApiDecodeError["issues"][number]

/** The issue without the name of a schema: each body is an object. */
const plain = (issue: Issue): Issue =>
  issue.path.length > 0 ? issue : { ...issue, message: issue.message.replace(/^Expected [A-Z]\w*,/, "Expected {},") }

/** What is wrong with a request, in a few words that repeat nothing secret of it. */
const mended = ({ issues, message }: HttpApiDecodeError): HttpApiDecodeError => {
  const mistakes = mistakesAmong(issues.map(plain)).slice(0, maxIssues)
  const told = mistakes.map(({ path, problem, unknown }) => ({
    _tag: unknown ? ("Unexpected" as const) : problem === missing ? ("Missing" as const) : ("Type" as const),
    path,
    message: problem
  }))
  const [first] = mistakes
  const said = first === undefined ? redactText(message) : `${first.path.join(".") || "the request"}: ${first.problem}`
  return new HttpApiDecodeError({ issues: told, message: sentence(said.replaceAll(/\s+/g, " ")) })
}

const isDecodeError = Schema.is(HttpApiDecodeError)

/** Stands in front of every route and every upgrade. */
export const guard = (app: HttpApp.Default): HttpApp.Default<HttpApiDecodeError, Judging> =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const reason = foreign(request.method, request.headers, yield* Listening)
    if (reason !== undefined) return answerOf(new Forbidden({ message: reason }))
    // Whoever has no token has no body read either, but for the one that brings a token.
    if (hasBody(request.method) && pathOf(request.url) !== login) {
      const caller = yield* Effect.either(callerOf)
      if (Either.isLeft(caller)) return answerOf(caller.left)
    }
    const read = yield* Effect.either(checkedBody(request))
    if (Either.isLeft(read)) return isDecodeError(read.left) ? yield* read.left : answerOf(read.left)
    const answered = Effect.provideService(app, HttpServerRequest.HttpServerRequest, read.right)
    return yield* Effect.catchAllCause(answered, (cause): HttpApp.Default<HttpApiDecodeError> => {
      const error: unknown = Option.getOrUndefined(Cause.failureOption(cause))
      if (isRouteNotFound(error)) {
        const allow = methodsAt(pathOf(request.url))
        if (allow.includes(request.method)) {
          const message = "The path cannot be decoded: write % as %25, and other characters as their UTF-8 bytes."
          return new HttpApiDecodeError({ message, issues: [] })
        }
        if (allow.length > 0) {
          const message = `${request.method} is not one of the methods of ${pathOf(request.url).slice(0, 200)}: ${allow.join(", ")}.`
          const refused = answerOf(new MethodNotAllowed({ message }))
          return Effect.succeed(HttpServerResponse.setHeader(refused, "allow", allow.join(", ")))
        }
        const message = `There is no ${request.method} ${pathOf(request.url).slice(0, 200)} here.`
        return Effect.succeed(answerOf(new NotFound({ message })))
      }
      if (isDecodeError(error)) return Effect.fail(mended(error))
      if (Chunk.some(Cause.defects(cause), (defect) => defect instanceof RequestError)) {
        return new HttpApiDecodeError({ message: "The body must be JSON.", issues: [] })
      }
      return error !== undefined || Cause.isInterruptedOnly(cause) ? Effect.failCause(cause) : failed(cause)
    })
  })

/** Says on every answer what protects its reader. */
export const protect = <E, R>(app: HttpApp.Default<E, R>) =>
  Effect.zipRight(
    HttpApp.appendPreResponseHandler((_, response) => {
      const { headers, status } = response
      const more = Object.entries(protection).filter(([name]) => headers[name] === undefined)
      const retry = status === 429 || status === 503 ? { "retry-after": "1" } : {}
      // RFC 9110, 11.6.1.
      const challenge = status === 401 ? { "www-authenticate": "Bearer" } : {}
      const all = { ...Object.fromEntries(more), ...retry, ...challenge }
      return Effect.succeed(HttpServerResponse.setHeaders(response, all))
    }),
    app
  )
