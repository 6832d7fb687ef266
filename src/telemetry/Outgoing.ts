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
  /** The same for one object that comes again and again and does not change. */
  readonly fixed: (attributes: Attributes) => Attributes
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
  const told = (attributes: Attributes, limit: number): Attributes => {
    const entries = Object.entries(attributes)
    const simple = entries.every(isSimple)
    const redacted = simple ? entries : Object.entries(redactJsonWith(redact, attributes) as Attributes)
    const out: Array<readonly [string, unknown]> = []
    for (const [key, value] of redacted) {
      if (value === undefined || value === null) continue
      const shown = simple && typeof value === "string" ? redact(value) : value
      out.push([bounded(simple ? redact(key) : key, limit), valueOf(shown, limit)])
    }
    return Object.fromEntries(out)
  }
  return {
    text: (whole, limit = maxText) => bounded(redact(whole), limit),
    attributes: (attributes, limit = maxText) => told(attributes, limit),
    fixed: memo(new WeakMap<Attributes, Attributes>(), (attributes) => told(attributes, maxText))
  }
}

/** What may leave by this redactor. */
export const by = memo(new WeakMap<RedactorShape, Outgoing>(), make)
