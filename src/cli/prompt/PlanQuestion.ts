import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import { Ui } from "../../ui/Ui.ts"

/** What to do with a plan: carry it out in a mode, or change it as the text says. */
export type AfterPlan =
  { readonly _tag: "CarryOut"; readonly mode: ApprovalPolicy } | { readonly _tag: "Change"; readonly text: string }

const question = [
  "Carry out this plan?",
  "a  yes, asking before each change",
  "e  yes, editing files without asking",
  "n  no, stay in plan mode",
  "or type what to change in it"
].join("\n")

const meant = (answer: string): AfterPlan | undefined => {
  const text = answer.trim()
  const said = text.toLowerCase()
  if (/^(?:a(?:sk)?|y(?:es)?)$/.test(said)) return { _tag: "CarryOut", mode: "ask" }
  if (/^e(?:dits?)?$/.test(said)) return { _tag: "CarryOut", mode: "edits" }
  return said === "" || /^no?$/.test(said) ? undefined : { _tag: "Change", text }
}

const items = /^ {0,3}(?:[-*+]|\d{1,3}[.)]) +\S/gm
const heading = /^ {0,3}(?:#{1,6} +\S|\*\*[^*\n]+\*\*:?$)/m

/** Whether an answer reads as a plan: it has a heading, or two list items at least. */
export const isPlan = (text: string): boolean => heading.test(text) || (text.match(items) ?? []).length > 1

/** What begins with the sign of a command or a note is none of what changes a plan. */
const signs = /^[!/#]/
const isCommand = (answer: Option.Option<string>): boolean => Option.exists(answer, (text) => signs.test(text.trim()))
const refused = "answer the question first, or press esc to leave it; then commands work again"

/** The question after a plan: in which mode to go on, or to stay in plan mode. */
export const make = Effect.map(Ui, (ui) => {
  let open: Deferred.Deferred<Option.Option<string>> | undefined
  return {
    /** Nothing where the person stays in plan mode and has no more to say. */
    ask: Effect.gen(function* () {
      const left = (open = yield* Deferred.make<Option.Option<string>>())
      const asked = ui.question(question).pipe(
        Effect.tap((answer) =>
          isCommand(answer) ? ui.display({ _tag: "Note", level: "error", text: refused }) : Effect.void
        ),
        Effect.repeat({ while: isCommand })
      )
      const answer = yield* Effect.raceFirst(asked, Deferred.await(left))
      return meant(Option.getOrElse(answer, () => ""))
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          open = undefined
        })
      )
    ),
    /** Stays in plan mode; whether that was asked. */
    leave: Effect.suspend(() => (open === undefined ? Effect.succeed(false) : Deferred.succeed(open, Option.none())))
  }
})
