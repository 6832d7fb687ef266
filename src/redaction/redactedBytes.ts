import { Buffer, isUtf8 } from "node:buffer"
import type { ExactValues } from "./ExactValues.ts"

/** The text of bytes, if they are one. */
const textOf = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) && !bytes.includes(0) ? bytes.toString("utf8") : undefined

/**
 * Removes secrets from bytes that are given in base64. Those that are a text are read as one; of others the given values alone are
 * looked for, as what looks like a secret there is chance. What is no base64 is text.
 */
export const redactedBytes =
  (exact: ExactValues, text: (text: string) => string) =>
  (encoded: string): string => {
    const bytes = Buffer.from(encoded, "base64")
    if (bytes.toString("base64") !== encoded) return text(encoded)
    const said = textOf(bytes)
    const before = said ?? bytes.toString("latin1")
    const after = said === undefined ? known(exact, before) : text(before)
    const kept =
      after === before ? encoded : Buffer.from(after, said === undefined ? "latin1" : "utf8").toString("base64")
    return known(exact, kept)
  }

const known = (exact: ExactValues, text: string): string => (exact.isEmpty ? text : exact.replace(text, true).out)
