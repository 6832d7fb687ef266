import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AnswerClientCall } from "../runtime/Command.ts"
import { type ClientCallRequested, trusted } from "../tool/ToolEvent.ts"
import { AskUser } from "../tools/AskUser.ts"
import { Ui } from "./Ui.ts"

/** The tools that an attended frontend can run. */
export const clientTools: ReadonlyArray<string> = [AskUser.name]

const decode = Schema.decodeUnknownOption(AskUser.parameters)

/** The words of the question, its options numbered. */
const worded = ({ options = [], question }: typeof AskUser.parameters.Type): string =>
  [question, ...options.map((option, index) => `${index + 1} ${option}`)].join("\n")

/** A number stands for the option that has it. */
const chosen = (answer: string, options: ReadonlyArray<string>): string =>
  (/^[1-9]$/.test(answer) ? options[Number(answer) - 1] : undefined) ?? answer

/** Runs a call that was forwarded to the frontend of a session. */
export const answer = (
  session: string,
  { parameters, requestId, tool }: ClientCallRequested
): Effect.Effect<AnswerClientCall, never, Ui> =>
  Effect.gen(function* () {
    const reply = (said: { readonly result: unknown } | { readonly error: string }) =>
      new AnswerClientCall({ session, requestId, ...said }, trusted)
    const asked = tool === AskUser.name ? decode(parameters) : Option.none()
    if (Option.isNone(asked)) return reply({ error: "The frontend does not support this call." })
    const { options = [] } = asked.value
    const said = Option.map(yield* (yield* Ui).question(worded(asked.value)), (text) => text.trim())
    return Option.match(
      Option.filter(said, (text) => text !== ""),
      {
        onNone: () => reply({ error: "The user gave no answer." }),
        onSome: (text) => reply({ result: { answer: chosen(text, options) } })
      }
    )
  })
