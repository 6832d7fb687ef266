import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { lazy } from "../system/lazy.ts"
import { foreignDecoder } from "../tool/JsonSchema.ts"
import { type Decode, issue } from "../tool/Parameters.ts"

/** Takes a null that does not fit where nothing would fit as nothing: many clients write what they leave out so. */
const withoutNulls =
  (decode: Decode): Decode =>
  (raw) => {
    const found = decode(raw)
    if (Either.isRight(found) || !Predicate.isReadonlyRecord(raw)) return found
    const wrong = new Set(found.left.map(({ path }) => path))
    const isLeftOut = (key: string) => raw[key] === null && wrong.has(key)
    const keys = Object.keys(raw)
    if (!keys.some(isLeftOut)) return found
    const kept = keys.filter((key) => !isLeftOut(key)).map((key) => [key, raw[key]] as const)
    return Either.orElse(decode(Object.fromEntries(kept)), () => found)
  }

/**
 * A check by a JSON Schema, which is compiled with the first call, for a list of tools needs none; what cannot be compiled fits
 * nothing, but a pattern that cannot be checked here is the server's to check.
 */
export const checked = (schema: Readonly<Record<string, unknown>>): Decode => {
  const compiled = lazy((): Decode => {
    try {
      return withoutNulls(foreignDecoder(schema))
    } catch {
      return () => Either.left([issue("", "cannot be checked: the JSON Schema of its server is unusable")])
    }
  })
  return (raw) => compiled()(raw)
}

/** In the place of the library's own checks of results, which would take a misfit for an error of the protocol. */
export const noResultChecks = { getValidator: () => undefined as never }
