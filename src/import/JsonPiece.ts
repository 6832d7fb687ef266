import { isCrowdedText, isDeepText, repeatedName } from "../text/Json.ts"
import { wellFormed } from "../text/wellFormed.ts"
import { refuse } from "./ImportProblem.ts"
import { maxDepth, maxMembers, maxPiece } from "./Limits.ts"

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Whether an object has a name by which prototypes are changed. */
const isPoisoned = (value: unknown): boolean => {
  if (!isObject(value)) return false
  if (Object.hasOwn(value, "__proto__")) return true
  const own = Object.hasOwn(value, "constructor") ? (value as { readonly constructor: unknown }).constructor : undefined
  if (isObject(own) && Object.hasOwn(own, "prototype")) return true
  return Object.values(value).some(isPoisoned)
}

/** The data of a piece of a file: bounded, unambiguous, and of Unicode. */
export const parsePiece = (text: string, where: string): unknown => {
  if (text.length > maxPiece) refuse(`${where} is longer than ${maxPiece} characters`)
  if (isDeepText(text, maxDepth)) refuse(`${where} is nested deeper than ${maxDepth} levels`)
  if (isCrowdedText(text, maxMembers)) refuse(`${where} has more than ${maxMembers} members`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse(`${where} is not valid JSON`)
  }
  const repeated = repeatedName(text)
  if (repeated !== undefined) refuse(`${where} has the name ${JSON.stringify(repeated.slice(0, 80))} twice`)
  if (/proto|\\u/.test(text) && isPoisoned(value))
    refuse(`${where} has a name that is reserved: __proto__ or constructor`)
  return wellFormed(value, text)
}

export type Data = Readonly<Record<string, unknown>>

export const isData = (value: unknown): value is Data => isObject(value) && !Array.isArray(value)

/** The object of a piece. */
export const parseData = (text: string, where: string): Data => {
  const value = parsePiece(text, where)
  return isData(value) ? value : refuse(`${where} is not an object`)
}
