import * as Effect from "effect/Effect"
import { ExactValues } from "../redaction/ExactValues.ts"
import type { Given } from "./Given.ts"
import { isProgram, type KnownServer } from "./KnownServer.ts"
import { plain } from "./ProtoName.ts"
import type { Surroundings } from "./Surroundings.ts"

/** What a server says as it is used: without the values that it was given, however they are spelled in its texts. */
export type Veil = <A>(said: A) => A

/** The veil over some values; it has no others to tell. */
const over = (secrets: ReadonlyArray<string>): Veil => {
  const exact = new ExactValues(secrets)
  if (exact.isEmpty) return (said) => said
  const veiledNumber = (value: number): number | string => {
    const { out } = exact.replace(`${value}`, true)
    return out === `${value}` ? value : out
  }
  const veiled = (value: unknown): unknown => {
    if (typeof value === "string") return exact.replace(value, true).out
    if (typeof value === "number") return veiledNumber(value)
    if (Array.isArray(value)) return value.map(veiled)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [veiled(key), veiled(one)]))
  }
  return <A>(said: A) => veiled(said) as A
}

/** The veil over what a server was given. */
export interface Veiled {
  /** With the login as it was last read. */
  readonly last: Veil
  /** Reads it anew. */
  readonly refresh: Effect.Effect<void>
}

/** Veils what a server was given, its login of now included: it may say that again, to no model, and in no event. */
export const make = ({ server }: KnownServer, given: Given, { login }: Pick<Surroundings, "login">): Veiled => {
  const own = Object.values(given)
  let known = { token: "", veil: over(own) }
  return {
    last: (said) => known.veil(plain(said)),
    refresh: isProgram(server)
      ? Effect.void
      : Effect.map(
          Effect.orElseSucceed(login.read, () => undefined),
          (found) => {
            const { accessToken = "", refreshToken = "" } = found ?? {}
            if (known.token !== accessToken)
              known = { token: accessToken, veil: over([...own, accessToken, refreshToken]) }
          }
        )
  }
}
