import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { parseValue } from "../config/Configuration.ts"
import type * as Tool from "../tool/Tool.ts"
import { similar } from "./Guard.ts"
import { UsageError } from "./Outcome.ts"

/** Parameters as a person gives them. */
export interface Spoken {
  /** As a JSON object. */
  readonly parameters: Option.Option<string>
  /** `key=value` each; they outweigh those of the object. */
  readonly param: ReadonlyArray<string>
}

export type Parameters = Readonly<Record<string, unknown>>

const usage = (reason: string) => Effect.fail(new UsageError({ reason }))

/** The tool of that name among some. */
export const toolOf = (name: string, tools: ReadonlyArray<Tool.Any>): Effect.Effect<Tool.Any, UsageError> => {
  const names = tools.map((tool) => tool.name)
  const found = tools.find((tool) => tool.name === name)
  if (found !== undefined) return Effect.succeed(found)
  const near = similar(name, names)
  return usage(
    `Unknown tool ${JSON.stringify(name)}. ${near === undefined ? `Available: ${names.join(", ")}.` : `Did you mean ${near}?`}`
  )
}

const isObject = (value: unknown): value is Parameters =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether the tool takes text there; then `5` is not a number. */
const takesText = (tool: Tool.Any, key: string): boolean => {
  const properties = tool.codec.jsonSchema()["properties"]
  const property = isObject(properties) ? properties[key] : undefined
  return isObject(property) && property["type"] === "string"
}

/** The parameters as they were given, and as the tool gets them. */
export const parametersOf = (
  tool: Tool.Any,
  { param, parameters }: Spoken
): Effect.Effect<{ readonly parameters: Parameters; readonly params: unknown }, UsageError> =>
  Effect.gen(function* () {
    const whole = Option.match(parameters, { onNone: (): unknown => ({}), onSome: parseValue })
    if (!isObject(whole)) return yield* usage(`The parameters are one JSON object, e.g. '{"path":"README.md"}'.`)
    const given: Record<string, unknown> = { ...whole }
    for (const pair of param) {
      const at = pair.indexOf("=")
      if (at < 1) return yield* usage(`--param takes key=value, not ${JSON.stringify(pair)}.`)
      const key = pair.slice(0, at)
      const value = pair.slice(at + 1)
      given[key] = takesText(tool, key) ? value : parseValue(value)
    }
    const decoded = tool.codec.decode()(given)
    if (Either.isLeft(decoded)) {
      const issues = decoded.left.map(({ message, path }) =>
        path === "" ? message : `${path}${/^(?:is|has) /.test(message) ? "" : ":"} ${message}`
      )
      return yield* usage(`${tool.name}: ${issues.join("; ")}. Give parameters as JSON or with --param key=value.`)
    }
    return { parameters: given, params: decoded.right }
  })
