import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type BudgetReached, nameOf, raised } from "../cost/Budget.ts"
import { BudgetRaised } from "../cost/CostEvent.ts"
import { format } from "../cost/Money.ts"
import type { Payer } from "../cost/Payer.ts"
import { ClientTools } from "../tool/ClientTools.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import type { WorkerSink } from "./WorkerSink.ts"

/**
 * The runtime's own call by which a frontend is asked to raise a budget that a request does not fit into; a model can neither call nor
 * see it. A frontend takes part by declaring the name.
 */
export const raiseBudget = "client.raiseBudget"

/** What a person is asked. */
export const BudgetQuestion = Schema.Struct({ question: Schema.String })
const decode = Schema.decodeUnknown(Schema.Struct({ raise: Schema.Boolean }))

const questionOf = (reached: BudgetReached): string => {
  const { limit, needed, reserved, scope, spent } = reached
  const taken = reserved === 0 ? "" : ` and ${format(reserved)} reserved`
  return `The budget of ${format(limit)} for ${nameOf(scope)} is reached: ${format(spent)} spent${taken}; the next request may cost up to ${format(needed)}. Raise it to ${format(raised(reached))} until Tollgate ends?`
}

/** Asks the person at the frontend of the session; where none takes part, or none answers in time, the budget stays. */
export const askToRaise = (
  { iteration, session: sessionId }: Payer,
  sink: WorkerSink,
  reached: BudgetReached
): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const client = yield* ClientTools
    if (!(yield* client.declared(sessionId)).has(raiseBudget)) return false
    const callId = yield* (yield* Ids).next("budget")
    const toSink = { emit: (event: Parameters<WorkerSink["emit"]>[0]) => sink.emit(event, iteration) }
    const { raise } = yield* client
      .call({
        callId,
        name: raiseBudget,
        sessionId,
        rawParams: { question: questionOf(reached) },
        sink: { ...toSink, commit: (event) => sink.commit(event, iteration) }
      })
      .pipe(
        Effect.flatMap(decode),
        Effect.orElseSucceed(() => ({ raise: false }))
      )
    if (raise) {
      const { limit: from, scope } = reached
      yield* sink.emit(new BudgetRaised({ scope, from, to: raised(reached) }, trusted), iteration)
    }
    return raise
  })
