import { useState } from "preact/hooks"
import type { ToolStats } from "../../server/AuditTrail.ts"
import type { ManualTool } from "../../server/ManualTools.ts"
import type { NewRule } from "../../server/Rules.ts"
import type { Proposal, Trial } from "../../server/RuleTrials.ts"
import { post, type Problem } from "../Api.ts"
import { may } from "../Login.ts"
import { route } from "../Route.ts"
import { Trouble, useAnswer } from "./Answered.tsx"
import { inProject } from "./ProjectSelect.tsx"
import { modes } from "../view/modes.ts"
import { RuleTrialView } from "./RuleTrialView.tsx"
import { wordsOf } from "./words.ts"

/** What a rule looks at. */
const looks = {
  any: ["every call", ""],
  argv: ["commands that begin with", "git status"],
  path: ["paths that match", "docs/**"],
  host: ["this host", "*.example.com"]
} as const
type Look = keyof typeof looks

const ruleOf = (decision: NewRule["decision"], tool: string, look: Look, text: string): NewRule => ({
  decision,
  tool: tool.trim() === "" ? "*" : tool.trim(),
  ...(look === "argv" && { argv: wordsOf(text) }),
  ...(look === "path" && { path: text.trim() }),
  ...(look === "host" && { host: text.trim() })
})

/** What the address says of the rule. */
const drafted = () => {
  const { query } = route.value
  const named = (["argv", "path", "host"] as const).find((name) => query.has(name))
  const decision = (["allow", "deny"] as const).find((one) => one === query.get("decision")) ?? "ask"
  return {
    decision: decision as NewRule["decision"],
    tool: query.get("tool") ?? "",
    look: (named ?? "any") as Look,
    text: named === undefined ? "" : (query.get(named) ?? "")
  }
}

/** Writes a rule, and tries it before it is saved. */
export const RuleForm = ({ onSaved, project }: { readonly project: string; readonly onSaved: () => void }) => {
  const [given] = useState(drafted)
  const [decision, setDecision] = useState(given.decision)
  const [tool, setTool] = useState(given.tool)
  const [look, setLook] = useState(given.look)
  const [text, setText] = useState(given.text)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const [mode, setMode] = useState<NonNullable<Proposal["mode"]> | "">("")
  const [trial, setTrial] = useState<Trial | undefined>(undefined)
  const [said, setSaid] = useState("")
  const [busy, setBusy] = useState(false)
  const used = useAnswer<{ readonly tools: ReadonlyArray<ToolStats> }>("/v1/audit/stats").value?.tools ?? []
  const manual = useAnswer<{ readonly tools: ReadonlyArray<ManualTool> }>(inProject("/v1/tools", project)).value
  const names = new Set([...used.map(({ tool }) => tool), ...(manual?.tools ?? []).map(({ name }) => name)])
  const send = async <A,>(path: string, then: (value: A) => void, more: Pick<Proposal, "mode"> = {}) => {
    if (busy) return
    setBusy(true)
    setSaid("")
    const rule = { ...ruleOf(decision, tool, look, text), ...(project === "" ? {} : { project }), ...more }
    const answer = await post<A>(path, rule)
    setBusy(false)
    setProblem(answer.ok ? undefined : answer.problem)
    if (answer.ok) then(answer.value)
    else setTrial(undefined)
  }
  const onTry = () => void send<Trial>("/v1/rules/trial", setTrial, mode === "" ? {} : { mode })
  const onSave = () =>
    void send("/v1/rules", () => {
      setTrial(undefined)
      setSaid("Saved. It applies from the next task on.")
      onSaved()
    })
  /** A trial says nothing of another rule. */
  const changing =
    <A,>(set: (value: A) => void) =>
    (value: A) => {
      setTrial(undefined)
      setSaid("")
      set(value)
    }
  return (
    <form
      class="rule-form"
      aria-label="A new rule"
      onSubmit={(event) => {
        event.preventDefault()
        onTry()
      }}
    >
      <h2>A new rule</h2>
      <div class="fields">
        <label>
          Decision
          <select
            value={decision}
            onChange={({ currentTarget }) => changing(setDecision)(currentTarget.value as NewRule["decision"])}
          >
            <option value="ask">ask</option>
            <option value="deny">deny</option>
            <option value="allow">allow</option>
          </select>
        </label>
        <label>
          Tool
          <input
            list="tool-names"
            placeholder="every tool"
            value={tool}
            onInput={({ currentTarget }) => changing(setTool)(currentTarget.value)}
          />
          <datalist id="tool-names">
            {[...names].map((name) => (
              <option value={name} />
            ))}
          </datalist>
        </label>
        <label>
          Fits
          <select value={look} onChange={({ currentTarget }) => changing(setLook)(currentTarget.value as Look)}>
            {Object.entries(looks).map(([name, [words]]) => (
              <option value={name}>{words}</option>
            ))}
          </select>
        </label>
        {look === "any" ? null : (
          <label class="wide">
            {looks[look][0]}
            <input
              spellcheck={false}
              placeholder={looks[look][1]}
              value={text}
              onInput={({ currentTarget }) => changing(setText)(currentTarget.value)}
            />
          </label>
        )}
        <label>
          Tried in the mode
          <select
            value={mode}
            onChange={({ currentTarget }) =>
              changing(setMode)(currentTarget.value as NonNullable<Proposal["mode"]> | "")
            }
          >
            <option value="">of new sessions</option>
            {modes.map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </label>
      </div>
      <Trouble problem={problem} />
      <div class="actions">
        <button type="submit" aria-disabled={busy}>
          Try it over past calls
        </button>
        {may("approve") ? (
          <button type="button" aria-disabled={busy} onClick={onSave}>
            Save
          </button>
        ) : (
          <span class="quiet">Your token can try rules but not save them.</span>
        )}
        <span role="status">{said}</span>
      </div>
      {trial === undefined ? null : <RuleTrialView trial={trial} />}
    </form>
  )
}
