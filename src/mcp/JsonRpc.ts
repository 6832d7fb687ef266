import { isReadonlyRecord } from "effect/Predicate"

/** Levels of arrays and objects of a message. */
export const deepest = 512

/** The id of a request. */
export type Id = string | number

/** A number that is read as another one cannot be answered: integers reach to 2^53 - 1. */
export const isId = (value: unknown): value is Id => typeof value === "string" || Number.isSafeInteger(value)

/** Whether a value says what a request has come to, as JSON-RPC 2.0 has it (sections 5 and 5.1). */
export const isAnswer = (value: unknown): boolean => {
  if (!isReadonlyRecord(value)) return false
  const { error, id, jsonrpc, result } = value
  if (jsonrpc !== "2.0" || !isId(id)) return false
  if (error === undefined) return isReadonlyRecord(result)
  return (
    result === undefined &&
    isReadonlyRecord(error) &&
    Number.isInteger(error["code"]) &&
    typeof error["message"] === "string"
  )
}

/** A number in a JSON text that is read as another one, as integers beyond 2^53 are; the text is well-formed. */
export const inexactNumber = (text: string): string | undefined => {
  if (!/\d{16}|[eE]\+?\d{3}/.test(text)) return undefined
  const bare = text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/g, '""')
  for (const [number] of bare.matchAll(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    const read = Number(number)
    if (!Number.isFinite(read) || (/^-?\d{16,}$/.test(number) && BigInt(number) !== BigInt(read))) return number
  }
  return undefined
}

/** What a client is told of a request with such a number. */
export const inexactReason = (number: string): string =>
  `Invalid params: the number ${number.slice(0, 40)} would be read as another one; send it as a string, if the tool takes one`
