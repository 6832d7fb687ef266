import * as Either from "effect/Either"
import * as Option from "effect/Option"

/** Levels of arrays and objects that a text of a model, a server or a file may have; what walks data later recurses once for each. */
export const maxJsonDepth = 64

/** Why a text is no data. */
export type NotJson = "malformed" | "too deep"

/** Whether brackets outside of strings are nested deeper than `max`. */
export const isDeepText = (text: string, max = maxJsonDepth): boolean => {
  if (text.length <= max) return false
  let depth = 0
  const sign = /["[\]{}]/g
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    if (found[0] === '"') {
      const end = endOfString(text, sign.lastIndex)
      if (end === -1) return false
      sign.lastIndex = end + 1
    } else if (found[0] === "[" || found[0] === "{") {
      if (++depth > max) return true
    } else depth--
  }
  return false
}

/** Where the string ends whose text begins at `from`; -1 where it does not. */
export const endOfString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = end
    while (slashes > from && text.charCodeAt(slashes - 1) === 0x5c) slashes--
    if ((end - slashes) % 2 === 0) return end
  }
  return -1
}

/** Whether the arrays and objects of a text have more than `max` commas between their members. */
export const isCrowdedText = (text: string, max: number): boolean => {
  if (text.length <= max) return false
  let members = 0
  const sign = /[",]/g
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    if (found[0] === ",") {
      if (++members > max) return true
      continue
    }
    const end = endOfString(text, sign.lastIndex)
    if (end === -1) return false
    sign.lastIndex = end + 1
  }
  return false
}

/** Whether a value is nested deeper than `max`; one that contains itself is. */
export const isDeepValue = (value: unknown, max = maxJsonDepth): boolean => {
  const visit = (one: unknown, left: number): boolean => {
    if (typeof one !== "object" || one === null) return false
    if (left === 0) return true
    for (const below of Object.values(one)) if (visit(below, left - 1)) return true
    return false
  }
  return visit(value, max)
}

/** The data of a JSON text, no deeper than `max`. */
export const parseJson = (text: string, max = maxJsonDepth): Either.Either<unknown, NotJson> => {
  if (isDeepText(text, max)) return Either.left("too deep")
  try {
    return Either.right(JSON.parse(text))
  } catch {
    return Either.left("malformed")
  }
}

/** Why a text does not say one thing. */
export type NotOneThing = NotJson | "ambiguous"

/** A name that one of its objects says twice, of which readers take the first or the last; the text is well-formed. */
export const repeatedName = (text: string): string | undefined => {
  const open: Array<Set<string> | undefined> = []
  const sign = /["[\]{}]/g
  const colon = /\s*:/y
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    if (found[0] === "{") open.push(new Set())
    else if (found[0] === "[") open.push(undefined)
    else if (found[0] !== '"') open.pop()
    else {
      const end = endOfString(text, sign.lastIndex)
      if (end === -1) return undefined
      sign.lastIndex = end + 1
      const names = open.at(-1)
      colon.lastIndex = end + 1
      if (names === undefined || !colon.test(text)) continue
      const name = String(JSON.parse(text.slice(found.index, end + 1)))
      if (names.has(name)) return name
      names.add(name)
    }
  }
  return undefined
}

/** The data of a text by which something is decided; none where an object says one of its names twice. */
export const parseAnswer = (text: string, max = maxJsonDepth): Either.Either<unknown, NotOneThing> =>
  Either.flatMap(parseJson(text, max), (value) =>
    repeatedName(text) === undefined ? Either.right(value) : Either.left("ambiguous" as const)
  )

/** The data of what a program printed, by which something is decided; none where its bytes were not UTF-8 text. */
export const parsePrinted = (text: string, max = maxJsonDepth): Either.Either<unknown, NotOneThing | "not text"> =>
  text.includes("\u{fffd}") ? Either.left("not text" as const) : parseAnswer(text, max)

/**
 * A frozen copy of JSON data, independent of the original; nothing for a value that is not JSON or deeper than `max`.
 * What has no value is left out, as in a JSON text.
 */
export const ownJson = (value: unknown, max = maxJsonDepth): Option.Option<unknown> => {
  const copy = (one: unknown, left: number): unknown => {
    if (typeof one === "string" || typeof one === "boolean" || one === null) return one
    if (typeof one === "number" && Number.isFinite(one)) return one === 0 ? 0 : one
    if (typeof one !== "object" || left === 0) throw new TypeError("no data")
    if (Array.isArray(one)) return Object.freeze(Array.from(one, (below) => copy(below, left - 1)))
    if (!isRecord(one)) throw new TypeError("no data")
    const entries = Object.entries(one).filter(([, below]) => below !== undefined)
    return Object.freeze(Object.fromEntries(entries.map(([key, below]) => [key, copy(below, left - 1)])))
  }
  return Option.liftThrowable(copy)(value, max)
}

/** An object that JSON could have made: one that inherits nothing of its own. */
const isRecord = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
