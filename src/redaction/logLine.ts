import * as crypto from "node:crypto"
import { redactJsonWith } from "./RedactJson.ts"
import { redactText } from "./Redactor.ts"

/** UTF-16 units of one string in a record. */
export const maxField = 8192

/** What JSON leaves as it is and a terminal or an editor would act on: C1, line separators, bidi, invisible characters. */
const unseen = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const escape = (found: string): string =>
  Array.from({ length: found.length }, (_, i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, "0")}`).join("")

/** A long string becomes its beginning, its length and its digest, by which two of them can be told apart. */
const shorten = (text: string): string => {
  if (text.length <= maxField) return text
  const digest = crypto.createHash("sha256").update(text).digest("hex")
  return `${text.slice(0, maxField).toWellFormed()}… [${text.length} characters, sha256 ${digest}]`
}

/** One record as one line of JSON without a newline at its end: redacted, bounded, and without a character that acts. */
export const logLine = (record: unknown, redact: (text: string) => string = redactText): string =>
  (JSON.stringify(redactJsonWith((text) => shorten(redact(text)), record)) ?? "null").replaceAll(unseen, escape)
