import { isReadonlyRecord } from "effect/Predicate"
import { isLinear } from "./LinearPattern.ts"

type JsonSchema = Readonly<Record<string, unknown>>

/** Keywords whose value is a schema, or a list of schemas. */
const inner = new Set(
  "additionalItems additionalProperties anyOf contains contentSchema items prefixItems propertyNames".split(" ")
)

/** Keywords whose value has a schema for each of its names. */
const named = new Set("$defs definitions dependencies dependentSchemas properties".split(" "))

/** Keywords that refuse a value because something else accepts it. */
const opposing = new Set("else if maxContains not then unevaluatedItems unevaluatedProperties".split(" "))

/**
 * A schema without the patterns that cannot be checked; undefined where it has none. It refuses only what the whole one
 * refuses: a schema that takes more would make `not`, `oneOf` and their like refuse more.
 */
export const loosened = (schema: JsonSchema): JsonSchema | undefined => {
  let found = false
  const isKept = (pattern: string): boolean => {
    const kept = isLinear(pattern)
    found ||= !kept
    return kept
  }
  const each = (schemas: JsonSchema): JsonSchema =>
    Object.fromEntries(Object.entries(schemas).map(([name, below]) => [name, loose(below)]))
  const loose = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(loose)
    if (!isReadonlyRecord(node)) return node
    const { allOf, oneOf, patternProperties, ...rest } = node
    const patterns = isReadonlyRecord(patternProperties) ? Object.entries(patternProperties) : []
    const kept = patterns.filter(([pattern]) => isKept(pattern))
    const entries = Object.entries(rest).flatMap(([keyword, value]): ReadonlyArray<readonly [string, unknown]> => {
      if (opposing.has(keyword)) {
        loose(value)
        return []
      }
      if (keyword === "pattern" && typeof value === "string" && !isKept(value)) return []
      // A property that a dropped pattern names is no additional one.
      if (keyword === "additionalProperties" && kept.length < patterns.length) return []
      if (named.has(keyword) && isReadonlyRecord(value)) return [[keyword, each(value)]]
      return [[keyword, inner.has(keyword) ? loose(value) : value]]
    })
    const all = [...(Array.isArray(allOf) ? allOf : []), ...(oneOf === undefined ? [] : [{ anyOf: oneOf }])]
    return {
      ...Object.fromEntries(entries),
      ...(kept.length > 0 && { patternProperties: each(Object.fromEntries(kept)) }),
      ...(all.length > 0 && { allOf: all.map(loose) })
    }
  }
  const made = loose(schema)
  return found && isReadonlyRecord(made) ? made : undefined
}
