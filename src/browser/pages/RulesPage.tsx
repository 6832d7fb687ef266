import { useState } from "preact/hooks"
import type { KnownRule } from "../../server/Rules.ts"
import { visibleLine } from "../../text/visible.ts"
import { ask, type Problem } from "../Api.ts"
import { may } from "../Login.ts"
import { route } from "../Route.ts"
import { Dialog } from "../view/Dialog.tsx"
import { Trouble, useAnswer } from "./Answered.tsx"
import { inProject, ProjectSelect } from "./ProjectSelect.tsx"
import { RuleForm } from "./RuleForm.tsx"

const levelWords = { user: "yours", project: "the project's", session: "of a session" } as const

/** Asks whether a saved rule is to go. */
const Revoking = ({
  known: { description, rule },
  onClose,
  onDone,
  project
}: {
  readonly known: KnownRule
  readonly project: string
  readonly onClose: () => void
  readonly onDone: () => void
}) => {
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const revoke = async () => {
    const done = await ask("DELETE", inProject(`/v1/rules/${encodeURIComponent(rule.id)}`, project))
    if (!done.ok && done.problem.status !== 404) return setProblem(done.problem)
    onDone()
    return onClose()
  }
  return (
    <Dialog label="Revoke a rule" onClose={onClose}>
      <h1>Revoke this rule?</h1>
      <pre class="exact">{visibleLine(description)}</pre>
      <p>Later calls are decided without it.</p>
      <Trouble problem={problem} />
      <div class="actions">
        <button type="button" autofocus onClick={onClose}>
          Keep it
        </button>
        <span class="grow" />
        <button type="button" class="deny" onClick={() => void revoke()}>
          Revoke
        </button>
      </div>
    </Dialog>
  )
}

/** The rules of a project, and a form for another one. */
export const RulesPage = () => {
  const [project, setProject] = useState(route.value.query.get("project") ?? "")
  const { again, problem, value } = useAnswer<{ readonly rules: ReadonlyArray<KnownRule> }>(
    inProject("/v1/rules", project)
  )
  const [revoked, setRevoked] = useState<KnownRule | undefined>(undefined)
  return (
    <section class="page wide" aria-label="Rules">
      <header class="page-head">
        <h1>Rules</h1>
        <span class="grow" />
        <ProjectSelect label="of" value={project} onChange={setProject} />
      </header>
      <p class="quiet">
        A rule decides calls before anyone is asked. Where several fit, deny counts before ask, and ask before allow.
      </p>
      <Trouble problem={problem} />
      {value === undefined ? null : value.rules.length === 0 ? (
        <p>No rules yet.</p>
      ) : (
        <ul class="rows">
          {value.rules.map((known) => (
            <li key={`${known.source} ${known.rule.id}`} class={`row ${known.rule.decision}`}>
              <p class="row-head">
                <b class="rule-words">{visibleLine(known.description)}</b>
                <span class="grow" />
                {known.saved && may("approve") ? (
                  <button
                    type="button"
                    class="small"
                    aria-label={`Revoke ${known.description}`}
                    onClick={() => setRevoked(known)}
                  >
                    Revoke
                  </button>
                ) : null}
              </p>
              <p class="quiet">
                {levelWords[known.rule.level]}, {known.saved ? "saved by an answer or here" : visibleLine(known.source)}
                {" · "}
                {visibleLine(known.rule.id)}
              </p>
              {known.ignored === undefined ? null : <p class="warning">Does not count: {visibleLine(known.ignored)}</p>}
            </li>
          ))}
        </ul>
      )}
      <RuleForm project={project} onSaved={again} />
      {revoked === undefined ? null : (
        <Revoking known={revoked} project={project} onClose={() => setRevoked(undefined)} onDone={again} />
      )}
    </section>
  )
}
