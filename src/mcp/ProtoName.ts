import * as crypto from "node:crypto"
import { endOfString } from "../text/Json.ts"

/**
 * Members that are called `__proto__`, which the library of the protocol leaves out of the objects that it reads: a text is disguised
 * before the library reads it, and data are plain again where they are used or sent.
 */
const name = "__proto__"

/** What they are called within the library; nobody else knows it. */
const alias = crypto.randomUUID()

/** Whether any text was disguised: most never are. */
let isUsed = false

/** Where the name may stand, with letters that are escaped. */
const mayHave = /__proto__|\\u00[5-7]/

/** Behind a name of a member; in a part of a text, what follows its last string is not known. */
const behind = /\s*(?::|$)/y

/** A JSON text, or a line of one, whose members have no such name. */
export const disguised = (text: string): string => {
  if (!mayHave.test(text)) return text
  let out = ""
  let from = 0
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', start)) {
    const end = endOfString(text, start + 1)
    if (end === -1) break
    const string = text.slice(start, end + 1)
    behind.lastIndex = end + 1
    if (string.length <= 6 * name.length + 2 && mayHave.test(string) && behind.test(text) && isName(string)) {
      isUsed = true
      out += `${text.slice(from, start)}"${alias}"`
      from = end + 1
    }
    start = end + 1
  }
  return out + text.slice(from)
}

const isName = (string: string): boolean => {
  try {
    return JSON.parse(string) === name
  } catch {
    return false
  }
}

/** A JSON text as it was before it was disguised. */
export const plainText = (text: string): string => (isUsed ? text.replaceAll(alias, name) : text)

const renamed = (value: unknown, rename: (key: string) => string, reword: (text: string) => string): unknown => {
  if (typeof value === "string") return reword(value)
  if (typeof value !== "object" || value === null) return value
  if (Array.isArray(value)) return value.map((one) => renamed(one, rename, reword))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [rename(key), renamed(one, rename, reword)]))
}

/** Data as they were before their text was disguised. */
export const plain = <A>(value: A): A => (isUsed ? (renamed(value, plainText, plainText) as A) : value)

/** Data that the library is about to read; what it sends of them is plain once its text is. */
export const disguisedData = <A>(value: A): A =>
  isUsed
    ? (renamed(
        value,
        (key) => (key === name ? alias : key),
        (text) => text
      ) as A)
    : value
