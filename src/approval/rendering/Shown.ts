import type { RedactorShape } from "../../redaction/Redactor.ts"

/** Bytes of the parameters and the diff of one request together. */
const maxShownBytes = 1024 * 1024

/** Levels of arrays and objects. */
const maxDepth = 256

/** Half a surrogate pair, which becomes another character once it is encoded. */
const half = /\p{Cs}/u

const undecodable = "it contains half a character, which no program gets as it is"
const tooDeep = "its parameters are nested too deeply"
const noJson = "its parameters are more than JSON can say"

/** Why nobody could read a value, where nobody could. */
const problemOf = (value: unknown, depth = 0): string | undefined => {
  if (depth > maxDepth) return tooDeep
  if (typeof value === "string") return half.test(value) ? undecodable : undefined
  if (value === null || value === undefined || typeof value === "boolean" || Number.isFinite(value)) return undefined
  if (typeof value !== "object") return noJson
  if (Array.isArray(value)) return firstOf(value, depth)
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
    ? firstOf([...Object.keys(value), ...Object.values(value)], depth)
    : noJson
}

const firstOf = (values: ReadonlyArray<unknown>, depth: number): string | undefined => {
  for (const value of values) {
    const problem = problemOf(value, depth + 1)
    if (problem !== undefined) return problem
  }
  return undefined
}

const size = (count: number): string => count.toLocaleString("en-US")

/** The parameters and the diff of a call, whole but for their secrets. */
export interface Shown {
  readonly arguments: unknown
  readonly diff: string | undefined
  /** How many secrets are masked. */
  readonly masked: number
}

/** The parameters that a diff shows too. */
const repeated = (params: unknown, names: ReadonlyArray<string>): unknown =>
  typeof params === "object" && params !== null && !Array.isArray(params)
    ? Object.fromEntries(Object.entries(params).filter(([name]) => names.includes(name)))
    : {}

/**
 * What somebody who decides reads of a call: every character but secrets. Why nobody can, where that is so. A secret of the
 * parameters that the diff `repeats` is counted once.
 */
export const shownCall = (
  redactor: RedactorShape,
  params: unknown,
  diff: string | undefined,
  repeats: ReadonlyArray<string> = []
): Shown | string => {
  const problem = problemOf([params, diff])
  if (problem !== undefined) return problem
  const bytes = Buffer.byteLength(JSON.stringify(params) ?? "") + Buffer.byteLength(diff ?? "")
  if (bytes > maxShownBytes) return `its parameters and changes are ${size(bytes)} bytes, over ${size(maxShownBytes)}`
  const given = redactor.shownJson(params)
  if (!given.whole) return tooDeep
  const change = diff === undefined ? undefined : redactor.shown(diff)
  const both = diff === undefined ? 0 : redactor.shownJson(repeated(params, repeats)).masked
  const masked = given.masked + Math.max(0, (change?.masked ?? 0) - both)
  return { arguments: given.value, diff: change?.text, masked }
}
