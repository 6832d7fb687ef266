import type { JSONRPCMessage } from "@modelcontextprotocol/client"
import * as Predicate from "effect/Predicate"
import * as crypto from "node:crypto"
import { withInexact } from "./JsonRpc.ts"
import { textBlock } from "./ServerResult.ts"

/** Keeps the digits of numbers that are read as others, such as integers beyond 2^53, from the text of a server to where they are told. */
export interface Digits {
  /** The JSON text with a string in the place of each such number. */
  readonly keep: (text: string) => string
  /** Whether a message has more such numbers than are kept; it cannot be used. */
  readonly isCrowded: (message: JSONRPCMessage) => boolean
  /**
   * The message as it may be used. Data of a tool with such a number are an error that has them as text; elsewhere in answers and logs
   * the digits are strings; definitions and the rest have the number that is read.
   */
  readonly tell: (message: JSONRPCMessage) => JSONRPCMessage
}

/** Such numbers from one message to the next, which may be of several texts: each is kept as a string of several times its size. */
const most = 100_000

type Put = (digits: string) => unknown

const lists = ["tools", "prompts", "resources", "resourceTemplates"]

export const make = (): Digits => {
  // No server knows it.
  const sign = `${crypto.randomUUID()}:`
  const crowd = `${sign}more`
  let isKept = false
  let wasCrowded = false
  let kept = 0

  const put = (value: unknown, as: Put): unknown => {
    if (typeof value === "string") return value.startsWith(sign) ? as(value.slice(sign.length)) : value
    if (Array.isArray(value)) return value.map((one) => put(one, as))
    if (!Predicate.isReadonlyRecord(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, put(one, as)]))
  }
  const asString: Put = (digits) => digits

  const ofTool = (result: Readonly<Record<string, unknown>>): unknown => {
    const { structuredContent, ...rest } = result
    const [head = "", ...signed] = JSON.stringify(structuredContent).split(`"${sign}`)
    const [first] = signed
    if (first === undefined) return put(result, asString)
    const number = first.slice(0, first.indexOf('"')).slice(0, 40)
    const { content, ...others } = put(rest, asString) as Readonly<Record<string, unknown>>
    return {
      ...others,
      content: [
        textBlock(
          `The tool has run, but its result cannot be used as data: the number ${number} would be read as another one.`
        ),
        ...(Array.isArray(content) ? content : []),
        textBlock(head + signed.map((part) => part.replace('"', "")).join(""))
      ],
      isError: true
    }
  }

  const told = (message: JSONRPCMessage): unknown => {
    if ("method" in message) return put(message, message.method === "notifications/message" ? asString : Number)
    if (!("result" in message)) return put(message, asString)
    const { result } = message
    if (lists.some((list) => Array.isArray(result[list]))) return put(message, Number)
    return result["structuredContent"] === undefined ? put(message, asString) : { ...message, result: ofTool(result) }
  }

  return {
    keep: (text) => {
      let isOver = false
      return withInexact(text, (number) => {
        if (isOver) return undefined
        isKept = true
        if (kept++ < most) return `"${sign}${number}"`
        isOver = wasCrowded = true
        return `"${crowd}"`
      })
    },
    isCrowded: (message) => {
      kept = 0
      return wasCrowded && JSON.stringify(message).includes(crowd)
    },
    tell: (message) => (isKept ? (told(message) as JSONRPCMessage) : message)
  }
}
