import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { parseValue } from "../config/Configuration.ts"
import type { AnyTool } from "../tool/ToolCall.ts"
import { assign, fieldsOf, parse } from "../tool/ToolField.ts"
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
export const toolOf = (name: string, tools: ReadonlyArray<AnyTool>): Effect.Effect<AnyTool, UsageError> => {
  const names = tools.map((tool) => tool.name)
  const found = tools.find((tool) => tool.name === name)
  if (found !== undefined) return Effect.succeed(found)
  const near = similar(name, names)
  return usage(
    `Unknown tool ${JSON.stringify(name)}. ${near === undefined ? `Available: ${names.join(", ")}.` : `Did you mean ${near}?`}`
  )
}

/** The value of a parameter: as its field takes it, and else JSON where it is JSON. */
const valueOf = (tool: AnyTool, name: string, text: string): Effect.Effect<unknown, UsageError> => {
  const field = fieldsOf(tool).find((one) => one.name === name)
  if (field === undefined || field.type === "json") return Effect.succeed(parseValue(text))
  return Either.match(parse(field, text), {
    onLeft: (problem) => usage(`${tool.name}: ${problem}. See tollgate tool ${tool.name} --help`),
    onRight: (value) => Effect.succeed(value)
  })
}

/** What is given of the parameters, of which some may be missing. */
export const givenParameters = (tool: AnyTool, { param, parameters }: Spoken): Effect.Effect<Parameters, UsageError> =>
  Effect.gen(function* () {
    const whole = Option.match(parameters, { onNone: (): unknown => ({}), onSome: parseValue })
    if (!Predicate.isReadonlyRecord(whole))
      return yield* usage(`The parameters are one JSON object, e.g. '{"path":"README.md"}'.`)
    let given: Parameters = whole
    for (const pair of param) {
      const at = pair.indexOf("=")
      if (at < 1) return yield* usage(`--param takes key=value, not ${JSON.stringify(pair)}.`)
      const key = pair.slice(0, at)
      const known = Object.hasOwn(given, key) || !fieldsOf(tool).some(({ name }) => name === key)
      const value = yield* valueOf(tool, key, pair.slice(at + 1))
      given = known && !key.includes(".") ? { ...given, [key]: value } : assign(given, key, value)
    }
    return given
  })

/** The words behind the name of a tool: `--name value` each, or one JSON object. */
export const spokenIn = (
  words: ReadonlyArray<string>
): { readonly param: ReadonlyArray<string>; readonly json?: string; readonly unknown?: string } => {
  const param: Array<string> = []
  let json: string | undefined
  for (let index = 0; index < words.length; index++) {
    const word = words[index] ?? ""
    const [, name, value] = /^--([A-Za-z][^=]*)(?:=([^]*))?$/u.exec(word) ?? []
    if (name === undefined) {
      if (json !== undefined || !word.startsWith("{")) return { param, unknown: `${JSON.stringify(word)} has no name` }
      json = word
      continue
    }
    const next = words[index + 1]
    const follows = value === undefined && next !== undefined && !/^-\D/.test(next)
    if (follows) index++
    param.push(`${name}=${value ?? (follows ? next : "true")}`)
  }
  return { param, ...(json === undefined ? {} : { json }) }
}

/** The parameters as they were given, and as the tool gets them. */
export const parametersOf = (
  tool: AnyTool,
  spoken: Spoken
): Effect.Effect<{ readonly parameters: Parameters; readonly params: unknown }, UsageError> =>
  Effect.gen(function* () {
    const given = yield* givenParameters(tool, spoken)
    const decoded = tool.codec.decode()(given)
    if (Either.isLeft(decoded)) {
      const issues = decoded.left.map(({ message, path }) =>
        path === "" ? message : `${path}${/^(?:is|has) /.test(message) ? "" : ":"} ${message}`
      )
      return yield* usage(`${tool.name}: ${issues.join("; ")}. Give parameters as JSON or as --name value.`)
    }
    return { parameters: given, params: decoded.right }
  })
