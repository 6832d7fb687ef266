// @effect-diagnostics globalFetch:off - the library of the protocol takes a function like fetch
import type { FetchLike } from "@modelcontextprotocol/client"
import * as Either from "effect/Either"
import { flow, identity } from "effect/Function"
import * as Predicate from "effect/Predicate"
import { parseJson } from "../text/Json.ts"
import { parsed } from "../text/Url.ts"
import { type Losing, losing } from "./brokenOff.ts"
import type { Digits } from "./Digits.ts"
import { eachEvent, tooLong } from "./eachEvent.ts"
import { answeredIds, deepest, isAnswer, noAnswer } from "./JsonRpc.ts"
import { plainText } from "./ProtoName.ts"

/** Bytes of an answer that is an error. */
const longestError = 64 * 1024

/** The type of a stream of events, however it is written (RFC 9110, 8.3.1). */
const eventStream = /^\s*text\/event-stream\s*(?:;|$)/i

/** Counts what comes. */
export const counting = (most: number): TransformStream<Uint8Array, Uint8Array> => {
  let count = 0
  return new TransformStream({
    transform: (chunk, controller) => {
      count += chunk.length
      if (count > most) controller.error(tooLong(most))
      else controller.enqueue(chunk)
    }
  })
}

/** The beginning of what comes. */
const beginning = (most: number): TransformStream<Uint8Array, Uint8Array> => {
  let left = most
  return new TransformStream({
    transform: (chunk, controller) => {
      controller.enqueue(chunk.subarray(0, left))
      left -= chunk.length
      if (left <= 0) controller.terminate()
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

/** The data of an event; an answer that cannot be used fails its request at once, where the library alone would wait on. */
const usable =
  (lost: Losing["lost"]) =>
  (data: string): string => {
    const said = Either.getOrUndefined(parseJson(data, deepest))
    const [id] = isAnswer(said) ? [] : answeredIds(said)
    return id === undefined ? data : JSON.stringify(lost(id, noAnswer))
  }

const isAnswerTo = (id: unknown) => (message: unknown) =>
  Predicate.isReadonlyRecord(message) && message["id"] === id && !("method" in message)

/** The host that a redirect leads to; the rest of an address may have secrets. */
const target = (response: Response, from: string | URL): string =>
  parsed(response.headers.get("location") ?? "", from)?.host ?? "an address that is none"

/**
 * A fetch for a server: a message of its answers has at most so many bytes, a longer one breaks the answer off, and of
 * an error as much is read as is shown. Redirects are not followed, and
 * an answer that is none to the request fails it at once, where the library alone would wait on. `keep` changes the texts of messages.
 */
export const boundedFetch =
  (most: number, keep: Digits["keep"] = identity, { lost }: Pick<Losing, "lost"> = losing()): FetchLike =>
  (url, init) =>
    fetch(url, {
      ...init,
      ...(typeof init?.body === "string" && { body: plainText(init.body) }),
      redirect: "manual"
    }).then((response) => {
      const { body, headers, ok, status, statusText } = response
      if (status >= 300 && status < 400 && headers.has("location"))
        throw new Error(`it redirects to ${target(response, url)}, which is not followed`)
      if (!ok)
        return body === null
          ? response
          : new Response(body.pipeThrough(beginning(longestError)), { status, statusText, headers })
      const id = init?.method === "POST" ? requestId(init.body) : undefined
      if (id !== undefined && (status === 202 || body === null))
        throw new Error(`it has answered ${status} ${statusText} without a message`)
      if (body === null) return response
      if (eventStream.test(headers.get("content-type") ?? "")) {
        const events = body.pipeThrough(eachEvent(flow(keep, usable(lost)), most))
        return new Response(events, { status, statusText, headers })
      }
      const bounded = new Response(body.pipeThrough(counting(most)), { status, statusText, headers })
      if (id === undefined) return bounded
      const json = () =>
        bounded.text().then((text) => {
          const said = parseJson(keep(text), deepest)
          if (Either.isLeft(said)) throw new Error(`its answer is ${said.left} JSON`)
          const messages: ReadonlyArray<unknown> = Array.isArray(said.right) ? said.right : [said.right]
          if (!messages.some(isAnswerTo(id))) throw new Error(noAnswer)
          return said.right
        })
      return Object.assign(bounded, { json })
    })
