import { isReadonlyRecord } from "effect/Predicate"
import { endOfString } from "../text/Json.ts"

/** Levels of arrays and objects of a message. */
export const deepest = 512

/** The id of a request. */
export type Id = string | number

/** A number that is read as another one cannot be answered: integers reach to 2^53 - 1. */
export const isId = (value: unknown): value is Id => typeof value === "string" || Number.isSafeInteger(value)

/** Whether a value says what a request has come to, as JSON-RPC 2.0 has it (sections 5 and 5.1), and the library, which hears no other. */
export const isAnswer = (value: unknown): boolean => {
  if (!isReadonlyRecord(value)) return false
  const { error, id, jsonrpc, result, ...others } = value
  if (jsonrpc !== "2.0" || !isId(id) || Object.keys(others).length > 0) return false
  if (error === undefined)
    return isReadonlyRecord(result) && (result["_meta"] === undefined || isReadonlyRecord(result["_meta"]))
  return (
    result === undefined &&
    isReadonlyRecord(error) &&
    Number.isSafeInteger(error["code"]) &&
    typeof error["message"] === "string"
  )
}

/** What is said of an answer that is none. */
export const noAnswer = "its answer is no message of the protocol"

/** The requests that a value answers, as far as it says so; the revisions spoken here have no batches. */
export const answeredIds = (value: unknown): ReadonlyArray<Id> =>
  (Array.isArray(value) ? value : [value]).flatMap((one: unknown) =>
    isReadonlyRecord(one) &&
    (!("method" in one) || "result" in one) &&
    (typeof one["id"] === "string" || typeof one["id"] === "number")
      ? [one["id"]]
      : []
  )

/** Whether a number would be written otherwise once it is read; some of more than 2^53 are written with fewer digits than they have. */
const isInexact = (number: string): boolean => {
  const read = Number(number)
  if (!Number.isFinite(read)) return true
  return /^-?\d{16,}$/.test(number) && `${read}` !== number && BigInt(number) !== BigInt(read)
}

/**
 * A JSON text with each number put otherwise that is read as another one, as integers beyond 2^53 are; the rest of it stays as it is
 * once one is put as nothing.
 */
export const withInexact = (text: string, put: (number: string) => string | undefined): string => {
  if (!/\d{16}|[eE]\+?\d{3}/.test(text)) return text
  const sign = /"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
  let out = ""
  let from = 0
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    const { 0: one, index } = found
    if (one === '"') {
      const end = endOfString(text, sign.lastIndex)
      if (end === -1) break
      sign.lastIndex = end + 1
    } else if (isInexact(one)) {
      const said = put(one)
      if (said === undefined) break
      out += text.slice(from, index) + said
      from = sign.lastIndex
    }
  }
  return out + text.slice(from)
}

/** The first such number of a JSON text. */
export const inexactNumber = (text: string): string | undefined => {
  let first: string | undefined
  withInexact(text, (number) => {
    first = number
    return undefined
  })
  return first
}

/** What a client is told of a request with such a number. */
export const inexactReason = (number: string): string =>
  `Invalid params: the number ${number.slice(0, 40)} would be read as another one; send it as a string, if the tool takes one`
