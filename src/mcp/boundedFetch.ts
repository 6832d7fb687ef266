// @effect-diagnostics globalFetch:off - the library of the protocol takes a function like fetch
import type { FetchLike } from "@modelcontextprotocol/client"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { parseJson } from "../text/Json.ts"
import { parsed } from "../text/Url.ts"
import { deepest } from "./JsonRpc.ts"

const newline = 10

/** Counts what comes without a line's end in a stream of events, or at all in any other answer. */
export const counting = (most: number, isEvents: boolean): TransformStream<Uint8Array, Uint8Array> => {
  let since = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      const end = isEvents ? chunk.lastIndexOf(newline) : -1
      since = end < 0 ? since + chunk.length : chunk.length - end - 1
      if (since > most) controller.error(new Error(`a message had more than ${most} bytes`))
      else controller.enqueue(chunk)
    }
  })
}

/** The id of the request that a body is, for whose answer the library waits. */
const requestId = (body: unknown): unknown => {
  const message = typeof body === "string" ? Either.getOrUndefined(parseJson(body, deepest)) : undefined
  // What a server makes of a greeting that it does not know tells the library which other one to try.
  return Predicate.isReadonlyRecord(message) && "method" in message && message["method"] !== "server/discover"
    ? message["id"]
    : undefined
}

const isAnswerTo = (id: unknown) => (message: unknown) =>
  Predicate.isReadonlyRecord(message) && message["id"] === id && !("method" in message)

/** The host that a redirect leads to; the rest of an address may have secrets. */
const target = (response: Response, from: string | URL): string =>
  parsed(response.headers.get("location") ?? "", from)?.host ?? "an address that is none"

/**
 * A fetch for a server: a message of its answers has at most so many bytes, a longer one breaks the answer off. Redirects are not followed, and
 * an answer that is none to the request fails it at once, where the library alone would wait on.
 */
export const boundedFetch =
  (most: number): FetchLike =>
  (url, init) =>
    fetch(url, { ...init, redirect: "manual" }).then((response) => {
      const { body, headers, ok, status, statusText } = response
      if (status >= 300 && status < 400 && headers.has("location"))
        throw new Error(`it redirects to ${target(response, url)}, which is not followed`)
      if (!ok) return response
      const id = init?.method === "POST" ? requestId(init.body) : undefined
      if (id !== undefined && (status === 202 || body === null))
        throw new Error(`it has answered ${status} ${statusText} without a message`)
      if (body === null) return response
      const isEvents = headers.get("content-type")?.startsWith("text/event-stream") === true
      const bounded = new Response(body.pipeThrough(counting(most, isEvents)), { status, statusText, headers })
      if (id === undefined || isEvents) return bounded
      const json = () =>
        bounded.text().then((text) => {
          const said = parseJson(text, deepest)
          if (Either.isLeft(said)) throw new Error(`its answer is ${said.left} JSON`)
          const messages: ReadonlyArray<unknown> = Array.isArray(said.right) ? said.right : [said.right]
          if (!messages.some(isAnswerTo(id))) throw new Error("its answer is no message of the protocol")
          return said.right
        })
      return Object.assign(bounded, { json })
    })
