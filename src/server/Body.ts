import { HttpApiDecodeError } from "@effect/platform/HttpApiError"
import { type HttpServerRequest, withMaxBodySize } from "@effect/platform/HttpServerRequest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { parseAnswer } from "../text/Json.ts"
import { TooLarge, UnsupportedMedia } from "./ApiError.ts"
import { Limits, type ServerLimits } from "./Limits.ts"
import { notReadable } from "./notReadable.ts"

export const hasBody = (method: string): boolean => method !== "GET" && method !== "HEAD"

/** The path of a URL, without its query. */
export const pathOf = (url: string): string => url.split("?", 1)[0] ?? ""

/** Routes that a prompt with its images is sent to. */
const prompting = /^\/v1\/(?:chat\/completions|responses|sessions\/[^/]+\/commands)$/

/** Where a token comes in the body, and how many bytes that has at most. */
export const login = "/v1/login"
const loginBody = 1024

/** Bytes that the body of a request may have, by its path. */
const limitOf = (path: string, { body, importBody, promptBody }: ServerLimits): number =>
  path === login
    ? Math.min(body, loginBody)
    : path === "/v1/sessions/import"
      ? importBody
      : prompting.test(path)
        ? promptBody
        : body

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const unreadable = (why: Parameters<typeof notReadable>[0]) =>
  new HttpApiDecodeError({ message: notReadable(why, "body"), issues: [] })

/**
 * Reads a body within its limits, for all who look at it in the request that it gives; one that is no text, that says nothing or
 * says two things is refused.
 */
export const checkedBody = (
  request: HttpServerRequest
): Effect.Effect<HttpServerRequest, TooLarge | UnsupportedMedia | HttpApiDecodeError> =>
  Effect.gen(function* () {
    const { headers, method, url } = request
    if (!hasBody(method)) return request
    const limit = limitOf(pathOf(url), yield* Limits)
    const tooLarge = new TooLarge({ message: `The body is larger than ${limit} bytes.`, limit })
    const length = Number(headers["content-length"] ?? 0)
    if (length > limit) return yield* tooLarge
    if (length === 0 && headers["transfer-encoding"] === undefined) return request
    const type = (headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase()
    if (type !== "application/json") {
      return yield* new UnsupportedMedia({ message: "The body must be application/json." })
    }
    // One that ends before its time is as one that is too large: nobody reads the answer.
    const bytes = yield* Effect.mapError(withMaxBodySize(request.arrayBuffer, Option.some(limit)), () => tooLarge)
    const text = yield* Effect.try({ try: () => decoder.decode(bytes), catch: () => unreadable("not text") })
    const parsed = text === "" ? undefined : parseAnswer(text)
    if (parsed?._tag === "Left") return yield* unreadable(parsed.left)
    return Object.create(request, { text: { value: Effect.succeed(text) } }) as HttpServerRequest
  })
