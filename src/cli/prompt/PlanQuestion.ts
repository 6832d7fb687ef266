import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import { Ui } from "../../ui/Ui.ts"

const modeOf = (answer: string): ApprovalPolicy | undefined => {
  const said = answer.trim().toLowerCase()
  return /^a(?:sk)?$/.test(said) ? "ask" : /^e(?:dits)?$/.test(said) ? "edits" : undefined
}

/** The question after a plan: in which mode to go on, or to stay in plan mode. */
export const make = Effect.map(Ui, (ui) => {
  let open: Deferred.Deferred<Option.Option<string>> | undefined
  return {
    /** The mode to go on in; nothing where the person stays. */
    ask: Effect.gen(function* () {
      const left = (open = yield* Deferred.make<Option.Option<string>>())
      const asked = ui.question("Go on with this plan? a in ask · e in edits · enter or esc stays in plan")
      const answer = yield* Effect.raceFirst(asked, Deferred.await(left))
      return modeOf(Option.getOrElse(answer, () => ""))
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
