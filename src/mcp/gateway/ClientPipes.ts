// @effect-diagnostics newPromise:off - the transport that the SDK takes answers with promises
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server"
import * as Either from "effect/Either"
import { isReadonlyRecord } from "effect/Predicate"
import type { Readable, Writable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { parseJson } from "../../text/Json.ts"
import { type Line, LineReader } from "../../text/LineReader.ts"
import { deepest, inexactNumber, inexactReason, isAnswer, isId } from "../JsonRpc.ts"
import { disguised, plainText } from "../ProtoName.ts"
import * as OpenIds from "./OpenIds.ts"

/** Characters of a line of a client, as many as a request over HTTP may have bytes. */
const longestLine = 16 * 1024 * 1024

/** Characters that a client has not read, from which on it misses what servers say on the way. */
const mostUnread = 4 * 1024 * 1024

/** What a client can do without. */
const passing = new Set(["notifications/message", "notifications/progress", "notifications/resources/updated"])

/** Codes of JSON-RPC. */
const [parseError, invalidRequest, invalidParams] = [-32700, -32600, -32602] as const

interface Problem {
  readonly code: number
  readonly message: string
}

const invalid = (message: string): Problem => ({ code: invalidRequest, message: `Invalid message: ${message}.` })

/** Why a value is no message; an answer that is none is not answered. */
const problemOf = (value: unknown): Problem | "no answer" | undefined => {
  if (!isReadonlyRecord(value)) return invalid("it is no object")
  const { error, id, jsonrpc, method, params, result } = value
  if (method === undefined && (error !== undefined || result !== undefined))
    return isAnswer(value) ? undefined : "no answer"
  if (jsonrpc !== "2.0") return invalid('its jsonrpc is not "2.0"')
  if (typeof method !== "string") return invalid("its method is no string")
  if ("id" in value && !isId(id)) return invalid("its id is neither a string nor an integer below 2^53")
  return params === undefined || isReadonlyRecord(params)
    ? undefined
    : { code: invalidParams, message: "Invalid params: they are no object." }
}

/**
 * A connection to the client that has started this program. Each line that is no message, and each member of a batch that is none,
 * is answered with an error. `gone` is called once its end is seen, before the requests that are open are given up.
 */
export const make = (input: Readable, output: Writable, gone: () => void = () => {}): Transport => {
  const lines = new LineReader(longestLine)
  const decoder = new StringDecoder("utf8")
  let isClosed = false

  const write = (message: unknown): Promise<void> =>
    new Promise((resolve, reject) => {
      if (isClosed) reject(new Error("the connection is closed"))
      else output.write(`${plainText(JSON.stringify(message))}\n`, (error) => (error ? reject(error) : resolve()))
    })
  const refuse = (id: unknown, error: Problem) =>
    // Where it cannot be told which request is meant, the protocol has no id: a client that holds answers to it takes no null.
    void write({ jsonrpc: "2.0", ...(isId(id) && { id }), error }).catch(close)
  const ids = OpenIds.make()
  const receive = (value: unknown, number: string | undefined) => {
    const isRequest = isReadonlyRecord(value) && "method" in value && "id" in value
    const problem =
      problemOf(value) ??
      (number !== undefined && isRequest ? { code: invalidParams, message: inexactReason(number) } : undefined)
    const twice = problem === undefined ? ids.twice([value]) : undefined
    if (twice !== undefined)
      return refuse(undefined, invalid(`the request with the id ${JSON.stringify(twice)} is not answered yet`))
    if (problem === undefined) transport.onmessage?.(value as JSONRPCMessage)
    else if (problem === "no answer") transport.onerror?.(new Error("an answer of the client is invalid"))
    else refuse(isReadonlyRecord(value) ? value["id"] : undefined, problem)
  }
  const take = ({ isCut, text: line }: Line) => {
    if (isCut) return refuse(undefined, invalid(`it has more than ${longestLine} characters`))
    if (line.trim() === "") return
    const found = parseJson(disguised(line), deepest)
    if (Either.isLeft(found))
      refuse(undefined, { code: parseError, message: `Parse error: the line is ${found.left} JSON.` })
    else {
      const messages: ReadonlyArray<unknown> = Array.isArray(found.right) ? found.right : [found.right]
      if (messages.length === 0) refuse(undefined, invalid("it is an empty batch"))
      const number = inexactNumber(line)
      for (const one of messages) receive(one, number)
    }
  }
  const hear = (chunk: Buffer) => lines.push(decoder.write(chunk)).forEach(take)
  const close = () => {
    if (isClosed) return
    isClosed = true
    gone()
    input.off("data", hear).off("end", close).off("close", close)
    transport.onclose?.()
  }
  const transport: Transport = {
    start: () => {
      input.on("data", hear).on("end", close).on("close", close).on("error", close)
      // It stays: what is written to a client that is gone fails later.
      output.on("error", close)
      return Promise.resolve()
    },
    send: (message) => {
      if (!("method" in message)) ids.close([message])
      else if (passing.has(message.method) && output.writableLength > mostUnread) return Promise.resolve()
      return write(message)
    },
    close: () => {
      close()
      return Promise.resolve()
    }
  }
  return transport
}
