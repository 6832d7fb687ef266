import { useEffect, useState } from "preact/hooks"
import type { AuditRow } from "../../audit/AuditChain.ts"
import type { ToolStats, Verification } from "../../server/AuditTrail.ts"
import { duration } from "../../text/duration.ts"
import { makeVisible, visibleLine } from "../../text/visible.ts"
import { many } from "../../ui/Words.ts"
import { get, type Problem } from "../Api.ts"
import { to } from "../Route.ts"
import { titleOf } from "../session/Sessions.ts"
import { Trouble, useAnswer } from "./Answered.tsx"

/** Entries of one page. */
const page = 100

const kinds: Readonly<Record<AuditRow["kind"], string>> = {
  requested: "asked",
  resolved: "answered",
  automatic: "decided without asking",
  consulted: "asked a reviewer",
  decision_refused: "refused an answer",
  revoked: "revoked",
  grant_made: "granted",
  rule_saved: "saved a rule",
  policy_set: "set the mode",
  reserved_name_attempt: "refused a reserved name",
  registration_warning: "warned of a tool",
  mcp_approved: "approved an MCP server"
}

const Entry = ({ row }: { readonly row: AuditRow }) => {
  const { arguments: given, decided_by, id, kind, outcome, reason, scope, session, time, tool, waited_millis } = row
  const facts = [
    outcome,
    scope === null ? null : `for ${scope}`,
    decided_by === null ? null : `by ${decided_by}`,
    waited_millis === null ? null : `after ${duration(waited_millis)}`
  ].filter((one) => one !== null)
  return (
    <li class={`row ${outcome ?? ""}`}>
      <p class="row-head">
        <span class="quiet">{id}</span>
        <b>{tool === null ? kinds[kind] : visibleLine(tool)}</b>
        <span>
          {tool === null ? "" : `${kinds[kind]} `}
          {visibleLine(facts.join(" "))}
        </span>
        <span class="grow" />
        <time class="quiet">{new Date(time).toLocaleString()}</time>
      </p>
      {reason === null ? null : <p class="quiet">{visibleLine(reason)}</p>}
      <details>
        <summary>Details</summary>
        {given === null ? null : <pre class="exact">{makeVisible(given)}</pre>}
        <dl class="facts">
          {(["worker", "call", "approval", "digest", "previous", "hash"] as const).map((name) =>
            row[name] === null || row[name] === "" ? null : (
              <>
                <dt>{name}</dt>
                <dd>{visibleLine(row[name])}</dd>
              </>
            )
          )}
        </dl>
        {session === "" ? null : <a href={to("session", session)}>{titleOf(session)}</a>}
      </details>
    </li>
  )
}

const Checked = ({ verified }: { readonly verified: Verification }) =>
  verified.intact ? (
    <p class="intact" role="status">
      ✓ Verified: {many(verified.entries, "entry", "entries")}, none missing, none changed.
    </p>
  ) : (
    <p class="warning" role="alert">
      ✗ Not what was written{verified.entry === undefined ? "" : `, from entry ${verified.entry} on`}:{" "}
      {visibleLine(verified.reason ?? "the chain is broken")}
    </p>
  )

/** How each tool was answered. */
const Stats = () => {
  const { problem, value } = useAnswer<{ readonly tools: ReadonlyArray<ToolStats> }>("/v1/audit/stats")
  return (
    <details class="stats">
      <summary>By tool</summary>
      <Trouble problem={problem} />
      <div class="table" tabIndex={0} role="group" aria-label="Answers by tool">
        <table>
          <thead>
            <tr>
              {["Tool", "Asked", "Granted", "Denied", "Expired", "Withdrawn", "Unasked", "Mean wait"].map((name) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {(value?.tools ?? []).map((one) => (
              <tr>
                <th scope="row">{visibleLine(one.tool)}</th>
                {[one.asked, one.granted, one.denied, one.expired, one.withdrawn, one.automatic].map((count) => (
                  <td>{count}</td>
                ))}
                <td>{duration(Math.round(one.meanMillis))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

/** Every request and decision, the latest first, and whether the chain of them is whole. */
export const AuditPage = () => {
  const verification = useAnswer<Verification>("/v1/audit/verification")
  const [rows, setRows] = useState<ReadonlyArray<AuditRow>>([])
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const [filter, setFilter] = useState("")
  const verified = verification.value
  const entries = verified?.entries ?? 0
  const first = rows.at(-1)?.id ?? entries + 1
  /** Reads the entries before one. */
  const load = async (before: number, known: ReadonlyArray<AuditRow>) => {
    const after = Math.max(0, before - 1 - page)
    const found = await get<{ readonly entries: ReadonlyArray<AuditRow> }>(
      `/v1/audit?after=${after}&limit=${Math.max(1, before - 1 - after)}`
    )
    setProblem(found.ok ? undefined : found.problem)
    if (found.ok) setRows([...known, ...found.value.entries.toReversed()])
  }
  useEffect(() => {
    if (entries > 0) void load(entries + 1, [])
  }, [entries])
  const wanted = filter.toLowerCase()
  const shown = rows.filter((row) => wanted === "" || JSON.stringify(row).toLowerCase().includes(wanted))
  return (
    <section class="page wide" aria-label="Audit">
      <header class="page-head">
        <h1>Audit</h1>
        <span class="grow" />
        <button type="button" class="small" onClick={verification.again}>
          Verify again
        </button>
      </header>
      <Trouble problem={verification.problem ?? problem} />
      {verified === undefined ? null : <Checked verified={verified} />}
      <Stats />
      <input
        type="search"
        aria-label="Filter the entries below"
        placeholder="Filter the entries below"
        value={filter}
        onInput={({ currentTarget }) => setFilter(currentTarget.value)}
      />
      <ul class="rows">
        {shown.map((row) => (
          <Entry key={row.id} row={row} />
        ))}
      </ul>
      {first > 1 && entries > 0 ? (
        <button type="button" onClick={() => void load(first, rows)}>
          Earlier entries
        </button>
      ) : null}
    </section>
  )
}
