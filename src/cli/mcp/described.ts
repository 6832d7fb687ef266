import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { HttpServer } from "../../mcp/McpServer.ts"
import { absolute } from "../../mcp/ownProgram.ts"
import { place } from "../here.ts"
import { UsageError } from "../Outcome.ts"
import { exactPackage } from "./exactPackage.ts"

/** `env:VARIABLE`, or with a scheme in front: a value of the user's environment. */
export const reference = /^(?:[A-Za-z]+ )?env:\w+$/

export interface AddOptions {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly url: Option.Option<string>
  readonly env: ReadonlyArray<string>
  readonly header: ReadonlyArray<string>
  readonly sandbox: boolean
  readonly yes: boolean
}

const isUrl = Schema.is(HttpServer.fields.url)

/** `NAME`, or `NAME=env:VARIABLE`. */
const references = (option: string, given: ReadonlyArray<string>): Effect.Effect<Record<string, string>, UsageError> =>
  Effect.gen(function* () {
    const found: Record<string, string> = {}
    for (const one of given) {
      const [, name = "", value] = /^([^=]*)(?:=(.*))?$/s.exec(one) ?? []
      if (name === "" || (value !== undefined && !reference.test(value))) {
        return yield* new UsageError({
          reason: `${option} takes NAME or NAME=env:VARIABLE, the name of a variable of your environment; values are not stored.`
        })
      }
      found[name] = value ?? `env:${name}`
    }
    return found
  })

/** The server that the words of the command line describe, as the file will have it. */
export const described = ({ command, env, header, sandbox, url }: AddOptions) =>
  Effect.gen(function* () {
    if (Option.isSome(url) === command.length > 0) {
      return yield* new UsageError({
        reason:
          "Give either the command behind --, e.g. tollgate mcp add files -- npx -y PACKAGE@VERSION, or --url URL."
      })
    }
    if (Option.isSome(url) && sandbox) {
      return yield* new UsageError({ reason: "--sandbox is for a program; a server with a URL runs elsewhere." })
    }
    if (Option.isSome(url)) {
      if (!isUrl(url.value)) {
        return yield* new UsageError({
          reason: "--url takes an http or https URL without a login in it; --header gives what a server wants."
        })
      }
      const headers = yield* references("--header", header)
      return { url: url.value, ...(header.length > 0 && { headers }) }
    }
    const variables = yield* references("--env", env)
    return {
      command: absolute(yield* exactPackage(command), (yield* place).directory),
      ...(env.length > 0 && { env: variables }),
      ...(sandbox && { sandbox })
    }
  })
