import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { AnswerClientCall } from "../runtime/Command.ts"
import { type ClientCallRequested, trusted } from "../tool/ToolEvent.ts"
import { type BudgetQuestion, raiseBudget } from "../agent/budgetQuestion.ts"
import { offerTools, type ToolOffer } from "../agent/ToolOffer.ts"
import { AskUser } from "../tools/AskUser.ts"
import { Ui } from "./Ui.ts"
import { isYes } from "./isYes.ts"

/** The tools that an attended frontend can run. */
export const clientTools: ReadonlyArray<string> = [AskUser.name, offerTools, raiseBudget]

const decode = Schema.decodeUnknownOption(AskUser.parameters)

/** The words of the question, its options numbered. */
const worded = ({ options = [], question }: typeof AskUser.parameters.Type): string =>
  [question, ...options.map((option, index) => `${index + 1} ${option}`)].join("\n")

/** A number stands for the option that has it. */
const chosen = (answer: string, options: ReadonlyArray<string>): string =>
  (/^[1-9]$/.test(answer) ? options[Number(answer) - 1] : undefined) ?? answer

/** How often a question is asked whose answer stays empty. */
const attempts = 3

/** What stands for an answer without words. */
const empty = '""'

/** The answer to a question: nothing typed is none yet, and is asked about again; none where the person leaves. */
const answerTo = (asked: typeof AskUser.parameters.Type): Effect.Effect<Option.Option<string>, never, Ui> =>
  Effect.gen(function* () {
    const ui = yield* Ui
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const again = `Nothing was typed. Type an answer, ${empty} for an empty one, or leave the question.`
      const said = yield* ui.question(attempt === 1 ? worded(asked) : again)
      if (Option.isNone(said)) return said
      const text = said.value.trim()
      if (text !== "") return Option.some(text === empty ? "" : chosen(text, asked.options ?? []))
    }
    return Option.none()
  })

/** Runs a call that was forwarded to the frontend of a session. */
export const answer = (
  session: string,
  { parameters, requestId, tool }: ClientCallRequested
): Effect.Effect<AnswerClientCall, never, Ui> =>
  Effect.gen(function* () {
    const reply = (said: { readonly result: unknown } | { readonly error: string }) =>
      new AnswerClientCall({ session, requestId, ...said }, trusted)
    // What the runtime itself asks needs no decoding.
    if (tool === offerTools) {
      const ui = yield* Ui
      return reply({ result: Option.getOrElse(yield* ui.toolRequests(parameters as ToolOffer), () => ({})) })
    }
    if (tool === raiseBudget) {
      const { question } = parameters as typeof BudgetQuestion.Type
      const said = yield* (yield* Ui).question(`${question} y/N`)
      return reply({ result: { raise: Option.exists(said, isYes) } })
    }
    const asked = tool === AskUser.name ? decode(parameters) : Option.none()
    if (Option.isNone(asked)) return reply({ error: "The frontend does not support this call." })
    return Option.match(yield* answerTo(asked.value), {
      onNone: () => reply({ error: "The user gave no answer." }),
      onSome: (answer) => reply({ result: { answer } })
    })
  })
