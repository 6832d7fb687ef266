import { redactJsonWith } from "../redaction/RedactJson.ts"
import { remembering } from "../redaction/remembering.ts"
import type { RedactorShape } from "../redaction/Redactor.ts"

export type Attributes = Readonly<Record<string, unknown>>

/** UTF-16 units of one name or value, of one value that is content, and values of one list. */
export const maxText = 1024
export const maxContent = 8 * 1024
const maxValues = 32

/** What may leave of names and attributes: without secrets, and no more than a collector takes. */
export interface Outgoing {
  readonly text: (text: string, limit?: number) => string
  readonly attributes: (attributes: Attributes, limit?: number) => Attributes
}

const bounded = (text: string, limit: number): string =>
  (text.length <= limit ? text : text.slice(0, limit)).toWellFormed()

const valueOf = (value: unknown, limit: number): unknown => {
  if (typeof value === "string") return bounded(value, limit)
  if (Array.isArray(value)) return value.slice(0, maxValues).map((one) => valueOf(one, limit))
  return typeof value === "object" && value !== null ? bounded(JSON.stringify(value), limit) : value
}

const make = (redactor: RedactorShape): Outgoing => {
  const redact = remembering(redactor.text)
  return {
    text: (whole, limit = maxText) => bounded(redact(whole), limit),
    attributes: (attributes, limit = maxText) =>
      Object.fromEntries(
        Object.entries(redactJsonWith(redact, attributes) as Attributes).flatMap(([key, value]) =>
          value === undefined || value === null ? [] : [[bounded(key, limit), valueOf(value, limit)]]
        )
      )
  }
}

const made = new WeakMap<RedactorShape, Outgoing>()

/** What may leave by this redactor. */
export const by = (redactor: RedactorShape): Outgoing => {
  const outgoing = made.get(redactor) ?? make(redactor)
  made.set(redactor, outgoing)
  return outgoing
}
