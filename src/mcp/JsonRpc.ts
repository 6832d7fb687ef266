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
