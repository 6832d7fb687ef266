import { useState } from "preact/hooks"
import type { Costs } from "../../server/Costs.ts"
import { money } from "../../text/money.ts"
import { visibleLine } from "../../text/visible.ts"
import { titleOf } from "../session/Sessions.ts"
import { Trouble, useAnswer } from "./Answered.tsx"
import { inProject, ProjectSelect } from "./ProjectSelect.tsx"

/** Rows that are shown. */
const most = 200

const dimensions = ["day", "model", "tool", "session", "project", "worker", "profile"] as const
type Dimension = (typeof dimensions)[number]

const scopeWords: Readonly<Record<string, string>> = {
  task: "each task",
  session: "each session",
  day: "today",
  month: "this month",
  project: "each project"
}

const Budget = ({
  limit,
  scope,
  spent
}: {
  readonly scope: string
  readonly limit: number
  readonly spent?: number | undefined
}) => {
  const words = scopeWords[scope] ?? scope
  const percent = spent === undefined ? undefined : limit === 0 ? 100 : Math.round((100 * spent) / limit)
  return (
    <li class="budget">
      <span>
        <b>{words}</b>:{" "}
        {spent === undefined ? `up to ${money(limit)}` : `${money(spent)} of ${money(limit)}, ${percent} %`}
      </span>
      {percent === undefined ? null : (
        <meter
          aria-label={`Spent of the budget of ${words}`}
          min={0}
          max={100}
          low={75}
          high={90}
          optimum={0}
          value={Math.min(100, percent)}
        />
      )}
    </li>
  )
}

const keyOf = (by: Dimension, key: string): string =>
  by === "session" ? titleOf(key) : visibleLine(key) || "the model itself"

/** What model requests have cost, and how much of the budgets is spent. */
export const CostPage = () => {
  const [by, setBy] = useState<Dimension>("day")
  const [project, setProject] = useState("")
  const { problem, value } = useAnswer<Costs>(inProject(`/v1/cost?by=${by}`, project))
  const totals = value?.totals ?? []
  const top = Math.max(1, ...totals.map(({ nanoUsd }) => nanoUsd))
  const sum = totals.reduce((total, { nanoUsd }) => total + nanoUsd, 0)
  const budgets = Object.entries(value?.budgets ?? {})
  const spent: Readonly<Record<string, number | undefined>> = { ...value?.spent }
  return (
    <section class="page wide" aria-label="Cost">
      <header class="page-head">
        <h1>Cost</h1>
        <span class="grow" />
        <ProjectSelect label="of" none="all projects" value={project} onChange={setProject} />
        <label class="mode">
          by{" "}
          <select value={by} onChange={({ currentTarget }) => setBy(currentTarget.value as Dimension)}>
            {dimensions.map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
      </header>
      <Trouble problem={problem} />
      <h2>Budgets</h2>
      {value === undefined ? null : budgets.length === 0 ? (
        <p class="quiet">None is set. tollgate config set budgets.day 5 sets one of $5 for each day.</p>
      ) : (
        <ul>
          {budgets.map(([scope, limit]) => (
            <Budget key={scope} scope={scope} limit={limit} spent={spent[scope]} />
          ))}
        </ul>
      )}
      <h2>Spent</h2>
      {value === undefined ? null : totals.length === 0 ? (
        <p class="quiet">No model request has been made.</p>
      ) : (
        <div class="table" tabIndex={0} role="group" aria-label={`Cost by ${by}`}>
          <table class="figures-table">
            <thead>
              <tr>
                {[by, "Requests", "Tokens in", "Tokens out", "Cost"].map((name) => (
                  <th scope="col">{name}</th>
                ))}
                <td />
              </tr>
            </thead>
            <tbody>
              {totals.slice(0, most).map(({ key, nanoUsd, requests, unpricedRequests, usage }) => (
                <tr>
                  <th scope="row">{keyOf(by, key)}</th>
                  <td>{requests.toLocaleString("en-US")}</td>
                  <td>{usage.inputTokens.toLocaleString("en-US")}</td>
                  <td>{usage.outputTokens.toLocaleString("en-US")}</td>
                  <td>
                    {money(nanoUsd)}
                    {unpricedRequests === 0 ? "" : ` + ${unpricedRequests} of unknown price`}
                  </td>
                  <td>
                    <progress aria-label={`Share of ${keyOf(by, key)}`} max={top} value={nanoUsd} />
                  </td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">in all</th>
                <td colSpan={3} />
                <td>{money(sum)}</td>
                <td />
              </tr>
            </tfoot>
          </table>
          {totals.length > most ? <p class="quiet">and {totals.length - most} more</p> : null}
        </div>
      )}
    </section>
  )
}
