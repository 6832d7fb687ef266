import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { isProgram, type KnownServer } from "./KnownServer.ts"
import { ServerUnavailable } from "./McpError.ts"
import type { Surroundings } from "./Surroundings.ts"

/** The variables of a program, or the headers of a request, by their names. */
export type Given = Readonly<Record<string, string>>

/** What a server is given besides what every one gets: what its file spells out, and what the user's references stand for. */
export const givenTo = (
  { given, name, server }: KnownServer,
  variable: Surroundings["variable"]
): Effect.Effect<Given, ServerUnavailable> =>
  Effect.gen(function* () {
    const values: Record<string, string> = { ...given }
    const references = isProgram(server) ? server.env : server.headers
    for (const [key, reference] of Object.entries(references ?? {})) {
      const [, before = "", wanted = ""] = /^(.*?)env:(.*)$/s.exec(reference) ?? []
      const value = variable(wanted)
      if (Option.isNone(value)) {
        const reason = `${key} is ${wanted} of your environment, which is not set`
        return yield* new ServerUnavailable({ server: name, operation: "start", reason })
      }
      values[key] = `${before}${Redacted.value(value.value)}`
    }
    return values
  })
