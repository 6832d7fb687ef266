import { redactJsonWith } from "../redaction/RedactJson.ts"
import { remembering } from "../redaction/remembering.ts"
import { secretName } from "../redaction/SecretName.ts"
import type { RedactorShape } from "../redaction/Redactor.ts"
import { memo } from "../system/memo.ts"

export type Attributes = Readonly<Record<string, unknown>>

/** UTF-16 units of one name or value, of one value that is content, and values of one list. */
const maxText = 1024
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

/** The kind of secret that a key names, asked once for each key; empty where it names none. */
const kindOf = remembering((key) => secretName(key) ?? "")

/** Whether an attribute is redacted by itself: its key says nothing of what else there is, and it is neither list nor object. */
const isSimple = ([key, value]: readonly [string, unknown]): boolean =>
  key !== "value" &&
  (typeof value === "string" || typeof value === "number" || typeof value === "boolean") &&
  kindOf(key) === ""

const make = (redactor: RedactorShape): Outgoing => {
  const redact = remembering(redactor.text)
  const simple = ([key, value]: readonly [string, unknown]) =>
    [redact(key), typeof value === "string" ? redact(value) : value] as const
  return {
    text: (whole, limit = maxText) => bounded(redact(whole), limit),
    attributes: (attributes, limit = maxText) => {
      const entries = Object.entries(attributes)
      const redacted = entries.every(isSimple)
        ? entries.map(simple)
        : Object.entries(redactJsonWith(redact, attributes) as Attributes)
      return Object.fromEntries(
        redacted.flatMap(([key, value]) =>
          value === undefined || value === null ? [] : [[bounded(key, limit), valueOf(value, limit)]]
        )
      )
    }
  }
}

/** What may leave by this redactor. */
export const by = memo(new WeakMap<RedactorShape, Outgoing>(), make)
