import * as Either from "effect/Either"
import { lazy } from "../system/lazy.ts"
import { decoder } from "../tool/JsonSchema.ts"
import { type Decode, issue } from "../tool/Parameters.ts"

/**
 * A check by a JSON Schema, which is compiled with the first call, for a list of tools needs none; what cannot be compiled fits
 * nothing.
 */
export const checked = (schema: Readonly<Record<string, unknown>>): Decode => {
  const compiled = lazy((): Decode => {
    try {
      return decoder(schema)
    } catch {
      return () => Either.left([issue("", "cannot be checked: the JSON Schema of its server is unusable")])
    }
  })
  return (raw) => compiled()(raw)
}
