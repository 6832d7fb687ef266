import type { Trial } from "../../server/RuleTrials.ts"
import { makeVisible, visibleLine } from "../../text/visible.ts"
import { many } from "../../ui/Words.ts"
import { to } from "../Route.ts"
import { ago } from "../view/now.ts"

const wasWords = {
  ran: "ran unasked",
  approved: "was approved",
  refused: "was refused",
  failed: "failed before it ran",
  unknown: "has no known end"
} as const

const verdictWords = { allow: "runs", ask: "is asked about", deny: "is denied", fail: "ends the task" } as const

/** What a rule would have changed of calls of before. */
export const RuleTrialView = ({ trial }: { readonly trial: Trial }) => {
  const { calls, changed, examples, fitting, mode, unjudged } = trial
  return (
    <section class="trial" aria-label="Result of the trial">
      <p role="status">
        {calls === 0
          ? "This project has no past calls."
          : `Of the last ${many(calls, "call")} the rule decides ${fitting}; ${changed} would go another way.`}
        {calls === 0 ? "" : ` They are judged in the mode ${mode}.`}
        {unjudged === 0 ? "" : ` ${many(unjudged, "call")} cannot be judged any more.`}
      </p>
      <ul class="rows">
        {examples.map(({ after, arguments: given, because, before, session, time, tool, was }) => (
          <li class={before === after ? "row" : `row changed ${after}`}>
            <p class="row-head">
              <b>{visibleLine(tool)}</b>
              <span>
                {before === after
                  ? verdictWords[after]
                  : `${verdictWords[before]} → with the rule it ${verdictWords[after]}`}
              </span>
              <span class="grow" />
              <a href={to("session", session)}>{time === undefined ? "session" : ago(time)}</a>
            </p>
            <pre class="exact">{makeVisible(given)}</pre>
            <p class="quiet">
              It {wasWords[was]}. {visibleLine(because)}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}
