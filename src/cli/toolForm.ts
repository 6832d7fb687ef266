import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { makeVisible } from "../text/visible.ts"
import type { AnyTool } from "../tool/ToolCall.ts"
import { assign, fieldsOf, parse, type ToolField } from "../tool/ToolField.ts"
import { Ui } from "../ui/Ui.ts"
import { UsageError } from "./Outcome.ts"
import type { Parameters } from "./toolCall.ts"

const isGiven = (parameters: Parameters, name: string): boolean =>
  name
    .split(".")
    .reduce<unknown>(
      (at, key) => (typeof at === "object" && at !== null && Object.hasOwn(at, key) ? Reflect.get(at, key) : undefined),
      parameters
    ) !== undefined

const typeText = ({ options = [], type }: ToolField): string =>
  type === "select" ? options.join(" | ") : type === "boolean" ? "yes | no" : type

/** The line in which a field is asked for. */
export const asked = (field: ToolField): string => {
  const { fallback, name, required } = field
  const more = fallback !== undefined ? `default ${JSON.stringify(fallback)}` : required ? "required" : "optional"
  return makeVisible(`${name} (${typeText(field)}, ${more}) › `)
}

/** Asks for one field until it is answered; an empty line leaves out one that is not required. */
const ask = (field: ToolField): Effect.Effect<Option.Option<unknown>, UsageError, Ui> =>
  Effect.gen(function* () {
    const ui = yield* Ui
    for (;;) {
      const line = yield* ui.input(asked(field))
      if (Option.isNone(line)) return yield* new UsageError({ reason: "Cancelled; nothing was run." })
      if (line.value.trim() === "") {
        if (!field.required) return Option.none()
        yield* ui.display({ _tag: "Note", level: "error", text: `${field.name} is required` })
        continue
      }
      const value = parse(field, line.value)
      if (Either.isRight(value)) return Option.some(value.right)
      yield* ui.display({ _tag: "Note", level: "error", text: value.left })
    }
  })

/** Asks a person for every field of a tool that is not given yet, and again for those that the tool refuses. */
export const fill = (tool: AnyTool, given: Parameters): Effect.Effect<Parameters, UsageError, Ui> =>
  Effect.gen(function* () {
    const ui = yield* Ui
    const fields = fieldsOf(tool)
    let parameters = given
    let open = fields.filter(({ name }) => !isGiven(given, name))
    for (;;) {
      for (const field of open) {
        if (field.description !== "") {
          yield* ui.display({ _tag: "Note", level: "info", text: `${field.name}: ${field.description}` })
        }
        const value = yield* ask(field)
        if (Option.isSome(value)) parameters = assign(parameters, field.name, value.value)
      }
      const decoded = tool.codec.decode()(parameters)
      if (Either.isRight(decoded)) return parameters
      const issues = decoded.left.map(({ message, path }) => (path === "" ? message : `${path}: ${message}`))
      const wrong = fields.filter(({ name }) =>
        decoded.left.some(({ path }) => path === name || path.startsWith(`${name}[`) || name.startsWith(`${path}.`))
      )
      if (wrong.length === 0) return yield* new UsageError({ reason: `${tool.name}: ${issues.join("; ")}.` })
      yield* ui.display({ _tag: "Note", level: "error", text: issues.join("\n") })
      open = wrong
    }
  })
