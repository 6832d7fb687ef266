import { useEffect, useState } from "preact/hooks"
import type { ManualTool } from "../../server/ManualTools.ts"
import { visibleLine } from "../../text/visible.ts"
import { newId, post, type Problem, sessionPath } from "../Api.ts"
import { may } from "../Login.ts"
import { to } from "../Route.ts"
import { Feed } from "../session/Feed.ts"
import { byProject, create, titleOf } from "../session/Sessions.ts"
import { Project } from "../view/place.ts"
import { Row } from "../view/Row.tsx"
import { Trouble, useAnswer } from "./Answered.tsx"
import { inProject, ProjectSelect } from "./ProjectSelect.tsx"
import { ToolForm } from "./ToolForm.tsx"

/** What was run: from which event on of which session. */
interface Run {
  readonly session: string
  readonly seq: number
}

/** What a run has come to, as it goes on. */
const Result = ({ run: { seq, session } }: { readonly run: Run }) => {
  const [feed, setFeed] = useState<Feed | undefined>(undefined)
  useEffect(() => {
    const made = new Feed(session)
    setFeed(made)
    return () => made.close()
  }, [session])
  if (feed === undefined) return null
  const items = feed.revision.value < 0 ? [] : feed.fold.items.filter((item) => item.seq >= seq)
  return (
    <section class="result" aria-label="Result">
      <header class="page-head">
        <h2>Result</h2>
        <span class="grow" />
        <a href={to("session", session)}>Open the session</a>
      </header>
      <Project.Provider value={feed.detail.value?.project ?? ""}>
        {items.map((item) => (
          <Row key={item.key} item={item} revision={item.revision} session={session} />
        ))}
      </Project.Provider>
    </section>
  )
}

/** The tools that a person may run, each with its form, and what came of the last run. */
export const ToolsPage = () => {
  const [project, setProject] = useState("")
  const [name, setName] = useState<string | undefined>(undefined)
  const [session, setSession] = useState("")
  const [run, setRun] = useState<Run | undefined>(undefined)
  const [problem, setProblem] = useState<Problem | undefined>(undefined)
  const [busy, setBusy] = useState(false)
  const listed = useAnswer<{ readonly tools: ReadonlyArray<ManualTool> }>(inProject("/v1/tools", project))
  const tools = listed.value?.tools ?? []
  const tool = tools.find((one) => one.name === name) ?? tools[0]
  const there = byProject.value.find(([one]) => one === project)?.[1] ?? []
  const start = async (parameters: object) => {
    if (tool === undefined) return
    setBusy(true)
    const of = session === "" ? await create(project === "" ? undefined : project) : session
    if (typeof of !== "string") {
      setBusy(false)
      return setProblem(of)
    }
    const answer = await post<{ readonly seq: number }>(sessionPath(of, `/tools/${encodeURIComponent(tool.name)}`), {
      task: newId("task"),
      parameters
    })
    setBusy(false)
    setProblem(answer.ok ? undefined : answer.problem)
    if (!answer.ok) return
    setSession(of)
    setRun({ session: of, seq: answer.value.seq })
  }
  return (
    <section class="page wide" aria-label="Tools">
      <header class="page-head">
        <h1>Tools</h1>
        <span class="grow" />
        <ProjectSelect
          label="of"
          value={project}
          onChange={(chosen) => {
            setProject(chosen)
            setSession("")
          }}
        />
        <label class="mode">
          in{" "}
          <select value={session} onChange={({ currentTarget }) => setSession(currentTarget.value)}>
            <option value="">a new session</option>
            {session === "" || there.some(({ id }) => id === session) ? null : (
              <option value={session}>{titleOf(session)}</option>
            )}
            {there.slice(0, 50).map(({ id }) => (
              <option value={id}>{titleOf(id)}</option>
            ))}
          </select>
        </label>
      </header>
      <Trouble problem={listed.problem} />
      {may("operate") ? null : <p class="quiet">Your token can view tools but not run them.</p>}
      {listed.value !== undefined && tools.length === 0 ? <p>No tool can be run by hand.</p> : null}
      <div class="tabs" role="group" aria-label="Tool">
        {tools.map((one) => (
          <button type="button" class="small" aria-pressed={one === tool} onClick={() => setName(one.name)}>
            {visibleLine(one.name)}
          </button>
        ))}
      </div>
      {tool === undefined || !may("operate") ? null : (
        <ToolForm key={`${project} ${tool.name}`} tool={tool} busy={busy} onRun={(given) => void start(given)} />
      )}
      <Trouble problem={problem} />
      {run === undefined ? null : <Result key={`${run.session} ${run.seq}`} run={run} />}
    </section>
  )
}
