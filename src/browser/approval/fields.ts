/** What a person fills in for one parameter. */
export interface Field {
  readonly name: string
  readonly type: "text" | "number" | "boolean" | "json"
  readonly options?: ReadonlyArray<string | number>
  /** The value now, as it is edited. */
  readonly text: string
}

type Parsed = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What a text area would change or hide: such a text is edited as JSON. */
const unkept = /[\0-\x08\x0b-\x1f\x7f]/ // oxlint-disable-line no-control-regex

const fieldOf = (name: string, value: unknown): Field => {
  if (typeof value === "string" && !unkept.test(value)) return { name, type: "text", text: value }
  if (typeof value === "number") return { name, type: "number", text: String(value) }
  if (typeof value === "boolean") return { name, type: "boolean", text: String(value) }
  return { name, type: "json", text: JSON.stringify(value, undefined, 2) ?? "null" }
}

/** The name of the one field of parameters that are no object. */
const whole = "arguments"

export const fieldsOf = (given: unknown): ReadonlyArray<Field> =>
  isRecord(given) ? Object.entries(given).map(([name, value]) => fieldOf(name, value)) : [fieldOf(whole, given)]

/** The value that a text stands for, or what the field takes instead. */
export const parsedField = ({ name, type }: Field, text: string): Parsed => {
  switch (type) {
    case "text":
      return { ok: true, value: text }
    case "number": {
      const value = Number(text)
      return text.trim() !== "" && Number.isFinite(value)
        ? { ok: true, value }
        : { ok: false, problem: `${name} takes a number.` }
    }
    case "boolean":
      return { ok: true, value: text === "true" }
    case "json":
      try {
        return { ok: true, value: JSON.parse(text) as unknown }
      } catch {
        return { ok: false, problem: `${name} takes JSON.` }
      }
  }
}

/** The parameters with what was changed. */
export const jsonOf = (given: unknown, changes: ReadonlyArray<readonly [string, unknown]>): unknown =>
  isRecord(given) ? { ...given, ...Object.fromEntries(changes) } : (changes[0]?.[1] ?? given)
