import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { ToolOffer } from "../../agent/ToolOffer.ts"
import { makeVisible } from "../../text/visible.ts"
import { assign, parse, type ToolField } from "../../tool/ToolField.ts"
import type { ToolShown } from "../../tool/ToolShown.ts"
import type { ToolRequest } from "../../ui/Ui.ts"
import { spokenIn } from "../toolCall.ts"
import { asked } from "../toolForm.ts"
import { splitWords } from "../../text/splitWords.ts"

/** How a frontend asks for a line, and says what is wrong with one. */
export interface Asking {
  readonly ask: (question: string) => Effect.Effect<Option.Option<string>>
  readonly say: (text: string, level: "info" | "error") => Effect.Effect<void>
}

type Json = Readonly<Record<string, unknown>>

/** Asks for a field until it is answered; none where the person goes back. */
const fieldOf = (field: ToolField, { ask, say }: Asking): Effect.Effect<Option.Option<{ readonly value?: unknown }>> =>
  Effect.gen(function* () {
    for (;;) {
      const line = yield* ask(asked(field))
      if (Option.isNone(line)) return Option.none()
      if (line.value.trim() === "") {
        if (!field.required) return Option.some({})
        yield* say(`${field.name} is required`, "error")
        continue
      }
      const value = parse(field, line.value)
      if (Either.isRight(value)) return Option.some({ value: value.right })
      yield* say(value.left, "error")
    }
  })

/** The parameters of a tool, field by field. */
const filled = (tool: ToolShown, asking: Asking): Effect.Effect<Option.Option<Json>> =>
  Effect.gen(function* () {
    let parameters: Json = {}
    for (const field of tool.fields) {
      const given = yield* fieldOf(field, asking)
      if (Option.isNone(given)) return Option.none()
      if ("value" in given.value) parameters = assign(parameters, field.name, given.value.value)
    }
    return Option.some(parameters)
  })

/** The parameters in the words behind a tool's name. */
const spoken = (tool: ToolShown, words: ReadonlyArray<string>): Either.Either<Json, string> => {
  const { json, param, unknown } = spokenIn(words)
  if (unknown !== undefined) return Either.left(`${tool.name}: ${unknown}; write --name value`)
  const whole =
    json === undefined ? Either.right({}) : Either.try({ try: () => JSON.parse(json) as Json, catch: String })
  return param.reduce<Either.Either<Json, string>>((given, pair) => {
    if (Either.isLeft(given)) return given
    const at = pair.indexOf("=")
    const name = pair.slice(0, at)
    const field = tool.fields.find((one) => one.name === name)
    if (field === undefined) return Either.left(`${tool.name} has no parameter ${name}`)
    return Either.map(parse(field, pair.slice(at + 1)), (value) => assign(given.right, name, value))
  }, whole)
}

const question = "c continues, or a tool › "

/** What is said of an offer, above its tools. */
export const offerText = ({ text, worker }: Pick<ToolOffer, "text" | "worker">): string =>
  makeVisible(`${worker.at(-1) ?? ""} has returned${text === "" ? "" : `: ${text}`}`)

/**
 * Asks what to do before the worker above goes on: `c` continues, the name of a tool runs it with `--name value` behind it, and
 * asks for its fields where nothing stands there.
 */
export const toolRequest = ({ tools }: ToolOffer, asking: Asking): Effect.Effect<Option.Option<ToolRequest>> =>
  Effect.gen(function* () {
    const { ask, say } = asking
    const names = tools.map(({ name }) => name).join(", ")
    for (;;) {
      const line = yield* ask(question)
      const text = Option.getOrElse(line, () => "c")
        .trim()
        .replace(/^\/(?:t(?:ool)?\s+)?/, "")
      if (/^c(?:ontinues?)?$/i.test(text)) return Option.none()
      const words = splitWords(text)
      if (Either.isLeft(words)) {
        yield* say(words.left, "error")
        continue
      }
      const [first = "", ...rest] = words.right
      const [only] = tools
      const tool = /^t(?:ool)?$/i.test(first) && tools.length === 1 ? only : tools.find(({ name }) => name === first)
      if (tool === undefined) {
        yield* say(`type c to continue, or a tool: ${makeVisible(names)}`, "error")
        continue
      }
      const named = rest.filter((word) => word !== "-i" && word !== "--interactive")
      if (named.length === 0) {
        const parameters = yield* filled(tool, asking)
        if (Option.isSome(parameters)) return Option.some({ tool: tool.name, parameters: parameters.value })
        continue
      }
      const parameters = spoken(tool, named)
      if (Either.isRight(parameters)) return Option.some({ tool: tool.name, parameters: parameters.right })
      yield* say(parameters.left, "error")
    }
  })
