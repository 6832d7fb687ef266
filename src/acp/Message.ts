import { type AnyMessage, methods, RequestError } from "@agentclientprotocol/sdk"
import * as Either from "effect/Either"
import { isReadonlyRecord } from "effect/Predicate"
import { randomUUID } from "node:crypto"
import { deepest } from "../mcp/JsonRpc.ts"
import { parseJson } from "../text/Json.ts"
import { bytes } from "../ui/Words.ts"
import { unicodeJson } from "../text/wellFormed.ts"

/** Characters of a message of an editor. */
export const longestMessage = 32 * 1024 * 1024

/** Characters at the beginning of a message in which its id is looked for where the rest is not read. */
const head = 4096

/** The error for a message that is too long to be read. */
export const tooLong = RequestError.invalidRequest(
  undefined,
  `the message is longer than ${bytes(longestMessage)}. Leave out what is long, or link to it`
).toErrorResponse()

/** The errors for lines that are no messages. */
export const noData = RequestError.parseError().toErrorResponse()
export const tooDeep = RequestError.invalidRequest(
  undefined,
  `the message is nested deeper than ${deepest} levels`
).toErrorResponse()

const beginning = /^\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*)*"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")\s*,/
const ofAnswer = /^\s*(?:"jsonrpc"\s*:\s*"[^"\\]*"\s*,\s*)?"(?:result|error)"/

/** The id at the beginning of a message, as it is written, and whether it answers a request of ours; nothing where it is further behind. */
export const idIn = (text: string): { readonly id: string; readonly isAnswer: boolean } | undefined => {
  const [whole = "", id] = beginning.exec(text.slice(0, head)) ?? []
  return id === undefined || Either.isLeft(parseJson(id))
    ? undefined
    : { id, isAnswer: ofAnswer.test(text.slice(whole.length, head)) }
}

/** Begins an id that stands for an integer which no number here holds; its digits follow. */
const mark = `${randomUUID()}:`

/** An integer as a message has it under a name; its nearest number where two could be meant. */
const exactly = (line: string, name: string, value: unknown): unknown => {
  if (typeof value !== "number" || !Number.isInteger(value) || Number.isSafeInteger(value)) return value
  const written = [...line.matchAll(new RegExp(`"${name}"\\s*:\\s*(-?\\d+)`, "g"))].map(([, digits = ""]) => digits)
  const [digits, ...others] = new Set(written.filter((one) => Number(one) === value))
  return digits === undefined || others.length > 0 ? value : `${mark}${digits}`
}

/** The message of a line, with ids that are no number here marked; whatever else it is, as it is. */
export const marked = (message: unknown, line: string): AnyMessage => {
  if (!isReadonlyRecord(message)) return message as AnyMessage
  const { id, method, params } = message
  if (method === methods.protocol.cancelRequest && isReadonlyRecord(params)) {
    const requestId = exactly(line, "requestId", params["requestId"])
    return { ...message, params: { ...params, requestId } } as AnyMessage
  }
  return ("id" in message ? { ...message, id: exactly(line, "id", id) } : message) as AnyMessage
}

/** A message as it is sent, in which marked ids are integers again. */
export const written = (message: AnyMessage): string => {
  const text = unicodeJson(JSON.stringify(message))
  return "id" in message && typeof message.id === "string" && message.id.startsWith(mark)
    ? text.replaceAll(JSON.stringify(message.id), message.id.slice(mark.length))
    : text
}
