import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { isProgram, type KnownServer } from "./KnownServer.ts"
import { ServerUnavailable } from "./McpError.ts"
import type { Surroundings } from "./Surroundings.ts"

/** The variables of a program, or the headers of a request, by their names. */
export type Given = Readonly<Record<string, string>>

/** What a header can hold, RFC 9110, 5.5; whoever reports another value tells of it in a form that nobody knows again. */
const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/

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
    const odd = isProgram(server) ? undefined : Object.keys(values).find((key) => !headerValue.test(values[key]!))
    if (odd !== undefined) {
      const wanted = references?.[odd]?.replace(/^.*env:/, "")
      const what = wanted === undefined ? `its header ${odd}` : `${odd} is ${wanted} of your environment, which`
      const reason = `${what} has a line break or a character that no header can hold`
      return yield* new ServerUnavailable({ server: name, operation: "start", reason })
    }
    return values
  })
