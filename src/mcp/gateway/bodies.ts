import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { parseJson } from "../../text/Json.ts"
import { counting } from "../boundedFetch.ts"
import { eachEvent } from "../eachEvent.ts"
import { deepest, type Id, inexactNumber, inexactReason, isId } from "../JsonRpc.ts"
import { disguised, plainText } from "../ProtoName.ts"

/** Bytes of a request. */
export const largest = 16 * 1024 * 1024

/** An error that answers a request; of none where it has no id. */
export const refusal = (status: number, code: number, message: string, id?: Id): Response =>
  Response.json({ jsonrpc: "2.0", ...(id !== undefined && { id }), error: { code, message } }, { status })

/** What a request says, where that is of a size that is taken. */
export const textOf = (request: Request): Promise<string | undefined> => {
  const isTooLarge = Number(request.headers.get("content-length")) > largest
  const body = isTooLarge ? null : request.clone().body
  return body === null
    ? Promise.resolve(undefined)
    : new Response(body.pipeThrough(counting(largest))).text().catch(() => undefined)
}

/** The messages of a body; nothing where it is no JSON. */
export const bodyOf = (text: string | undefined): unknown =>
  text === undefined ? undefined : Either.getOrUndefined(parseJson(disguised(text), deepest))

/** The id of the request that a body is. */
export const idOf = (body: unknown): Id | undefined =>
  Predicate.isReadonlyRecord(body) && "method" in body && isId(body["id"]) ? body["id"] : undefined

/** A request with a number that would be read as another one is not run. */
export const misread = (text: string | undefined, body: unknown): Response | undefined => {
  const number = text === undefined ? undefined : inexactNumber(text)
  const id = idOf(body)
  return number === undefined || id === undefined ? undefined : refusal(400, -32602, inexactReason(number), id)
}

/** The text of an error, which says what request it is about; the library leaves that open where it refuses a body before it looks into it. */
const named = (text: string, id: Id): string => {
  const said = Either.getOrUndefined(parseJson(text, deepest))
  const isOpen = Predicate.isReadonlyRecord(said) && "error" in said && said["id"] === null
  return isOpen ? JSON.stringify({ ...said, id }) : text
}

/** What the library answers to a body, as it is for the client. */
export const answerTo = (body: unknown, response: Response): Response | Promise<Response> => {
  const { body: said, headers, ok, status } = response
  const contentType = headers.get("content-type") ?? ""
  if (said !== null && contentType.startsWith("text/event-stream"))
    return new Response(said.pipeThrough(eachEvent(plainText)), { status, headers })
  if (!contentType.startsWith("application/json")) return response
  const id = idOf(body)
  return response
    .text()
    .then((text) => new Response(plainText(ok || id === undefined ? text : named(text, id)), { status, headers }))
}
