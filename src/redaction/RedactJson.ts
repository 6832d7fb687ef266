import * as Redacted from "effect/Redacted"
import { isPlace, isPlaceName } from "./Assigned.ts"
import { mark } from "./Mark.ts"
import { secretName } from "./SecretName.ts"

/** Levels of arrays and objects; what lies deeper is left out. */
const maxDepth = 32
/** Values of one document; what comes after is left out. */
const maxValues = 20_000

const omitted = "[omitted: too deep]"
const overflow = "[omitted: too many values]"

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Nothing that could be a secret. */
const isBlank = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || typeof value === "boolean"

/** The name under which the next value of a list stands, where the list says so: `["--token", …]`, `["cookie", …]`. */
const announced = (list: ReadonlyArray<unknown>, index: number): string | undefined => {
  const before = list[index - 1]
  if (typeof before !== "string" || typeof list[index] !== "string") return undefined
  const flag = /^--?[\w-]{1,80}$/.test(before)
  return flag || (list.length === 2 && /^[\w-]{1,80}$/.test(before)) ? secretName(before) : undefined
}

/** The kind of secret in an entry such as `{ name: "Authorization", value: "…" }`. */
const entryKind = (value: object): string | undefined => {
  const name = "name" in value ? value.name : "key" in value ? value.key : undefined
  return "value" in value && typeof name === "string" ? secretName(name) : undefined
}

export interface JsonRules {
  /** Replaces a value under the name of a secret. Default: its mark. `levels` are left below it. */
  readonly secret?: (kind: string, value: unknown, levels: number) => unknown
  /** What a key becomes. Default: as for a string. */
  readonly key?: (key: string) => string
  /** What a string becomes that an object has under a name, where it is not as any other. */
  readonly within?: (name: string, text: string, object: object) => string | undefined
  /** Called for each value that is left out. */
  readonly omit?: () => void
  readonly depth?: number
  readonly values?: number
}

/** A copy in which values are replaced by the names they stand under and strings by `redact`; made of plain JSON values. */
export const redactJsonWith = (redact: (text: string) => string, root: unknown, rules: JsonRules = {}): unknown => {
  const {
    depth: deepest = maxDepth,
    key: name = redact,
    omit = () => {},
    secret: cover = mark,
    values: most = maxValues,
    within = () => undefined
  } = rules
  let left = most
  const leave = (sign: string): string => {
    omit()
    return sign
  }
  const number = (value: number): number | string => {
    const shown = redact(`${value}`)
    return shown === `${value}` ? value : shown
  }
  const visit = (value: unknown, depth: number): unknown => {
    if (left-- <= 0) return leave(overflow)
    if (typeof value === "string") return redact(value)
    if (typeof value === "bigint") return redact(`${value}`)
    if (typeof value === "number") return number(value)
    if (!isObject(value)) return typeof value === "function" || typeof value === "symbol" ? undefined : value
    if (Redacted.isRedacted(value)) return mark("secret")
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString()
    if (depth >= deepest) return leave(omitted)
    if (Array.isArray(value)) return list(value, depth)
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
    if (value instanceof Error) return visit({ name: value.name, message: value.message }, depth)
    if (value instanceof Map || value instanceof Set) return list([...value], depth)
    const kind = entryKind(value)
    const entries: Array<readonly [string, unknown]> = []
    for (const [key, field] of Object.entries(value)) {
      if (left <= 0) {
        entries.push(["…", leave(overflow)])
        break
      }
      const secret = key === "value" && kind !== undefined ? kind : secretName(key)
      const place = typeof field === "string" && isPlaceName(key) && isPlace(field)
      const plain = secret === undefined || isBlank(field) || place
      const own = plain && typeof field === "string" ? within(key, field, value) : undefined
      entries.push([name(key), own ?? (plain ? visit(field, depth + 1) : cover(secret, field, deepest - depth - 1))])
    }
    return Object.fromEntries(entries)
  }
  const list = (values: ReadonlyArray<unknown>, depth: number): unknown => {
    const out: Array<unknown> = []
    for (const [index, value] of values.entries()) {
      if (left <= 0) return [...out, leave(overflow)]
      const kind = announced(values, index)
      out.push(kind === undefined || isBlank(value) ? visit(value, depth + 1) : cover(kind, value, deepest - depth - 1))
    }
    return out
  }
  return visit(root, 0)
}
