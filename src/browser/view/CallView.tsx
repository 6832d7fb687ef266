import { type ComponentChildren, Fragment, type VNode } from "preact"
import { useContext, useState } from "preact/hooks"
import { duration } from "../../text/duration.ts"
import { makeVisible, visibleLine } from "../../text/visible.ts"
import { many } from "../../ui/Words.ts"
import { select } from "../approval/Queue.ts"
import { Code } from "../text/Code.tsx"
import { DiffView, sizeOf } from "../text/DiffView.tsx"
import type { Call, CallState, Item } from "../session/Item.ts"
import { below, Project } from "./place.ts"

const marks: Readonly<Record<CallState, readonly [sign: string, words: string]>> = {
  asked: ["◌", "asked for"],
  waiting: ["‖", "waits for an answer"],
  running: ["●", "runs"],
  done: ["✓", "done"],
  failed: ["✗", "failed"],
  denied: ["⊘", "denied"],
  interrupted: ["◼", "interrupted"],
  unknown: ["?", "outcome unknown"]
}

/** Parameters that say what a call is about, the first that there is. */
const telling = ["path", "command", "url", "pattern", "query", "task", "question", "name", "file", "directory"]

const parametersOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What a call is about, on one line. */
const objectOf = (text: string): string => {
  const given = parametersOf(text)
  if (typeof given !== "object" || given === null) return given === undefined ? text : String(given)
  const entries = Object.entries(given)
  const found = telling.map((name) => entries.find(([key]) => key === name)).find((one) => one !== undefined)
  const [, value] = found ?? entries.find(([, one]) => typeof one === "string") ?? ["", ""]
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** Characters of a result that are shown at first. */
const maxShown = 6000

const Long = ({ language, text }: { readonly text: string; readonly language: string }) => {
  const [whole, setWhole] = useState(false)
  if (whole || text.length <= maxShown) return <Code text={text} language={language} />
  return (
    <>
      <Code text={`${text.slice(0, maxShown)}…`} language={language} />
      <button type="button" class="small" onClick={() => setWhole(true)}>
        Show all {many(text.length, "character")}
      </button>
    </>
  )
}

const Labelled = ({ children, label }: { readonly label: string; readonly children: ComponentChildren }) => (
  <div class="labelled">
    <div class="label">{label}</div>
    {children}
  </div>
)

const pretty = (text: string): string => {
  const given = parametersOf(text)
  return given === undefined ? text : JSON.stringify(given, undefined, 2)
}

const Inside = ({ call }: { readonly call: Call; readonly revision: number }) => (
  <div class="call-inside">
    {call.arguments === "" ? null : (
      <Labelled label="Parameters">
        <Long text={pretty(call.arguments)} language="json" />
      </Labelled>
    )}
    {call.notes.map((note) => (
      <p class="remark">{makeVisible(note)}</p>
    ))}
    {call.result === undefined || call.result === "" ? null : (
      <Labelled label="Result">
        <Long text={call.result} language="" />
      </Labelled>
    )}
  </div>
)

/** Rows of a worker that are shown while its call is folded: the last one. */
const lastOf = (below: ReadonlyArray<Item>): string => {
  const last = below.at(-1)
  if (last === undefined) return ""
  if (last.kind === "call") return `${last.tool} ${objectOf(last.arguments)}`
  if (last.kind === "question") return last.question
  return last.text.split("\n").findLast((line) => line.trim() !== "") ?? ""
}

const openCalls = new Set<string>()

/** A call: folded to one line, with its live output while it runs and its diff once it is done. */
export const CallView = ({
  call,
  row
}: {
  readonly call: Call
  /** Of the call, which is the same object as it goes on. */
  readonly revision: number
  readonly row: (item: Item) => VNode
}) => {
  const [isOpen, setOpen] = useState(() => openCalls.has(call.key))
  const project = useContext(Project)
  const [sign, words] = marks[call.state]
  const size = call.diffs.reduce(
    (sum, { text }) => {
      const { added, removed } = sizeOf(text)
      return { added: sum.added + added, removed: sum.removed + removed }
    },
    { added: 0, removed: 0 }
  )
  const toggle = () => {
    if (isOpen) openCalls.delete(call.key)
    else openCalls.add(call.key)
    setOpen(!isOpen)
  }
  const { request } = call
  return (
    <div class={`call ${call.state}`}>
      <button type="button" class="call-head" aria-expanded={isOpen} onClick={toggle}>
        <span class="mark" aria-label={words}>
          {sign}
        </span>
        <b>{visibleLine(call.tool)}</b>
        {call.delegate === undefined ? null : <span class="delegate">→ {visibleLine(call.delegate)}</span>}
        <span class="object">{visibleLine(below(project, objectOf(call.arguments)).slice(0, 300))}</span>
        {call.diffs.length === 0 ? null : (
          <span class="size">
            <ins>+{size.added}</ins> <del>−{size.removed}</del>
          </span>
        )}
        <span class="time">
          {call.progress ?? (call.durationMillis === undefined ? words : duration(call.durationMillis))}
        </span>
      </button>
      {request === undefined ? null : (
        <p class="waits">
          Waits for an answer ·{" "}
          <a href="#/approvals" onClick={() => select(request.id)}>
            show the request
          </a>
        </p>
      )}
      {call.problem === undefined || call.state === "done" ? null : <p class="problem">{makeVisible(call.problem)}</p>}
      {call.output === "" ? null : (
        <pre class="code live" tabIndex={0} role="log" aria-label={`Output of ${call.tool}`}>
          {makeVisible(call.output.split("\n").slice(-14).join("\n"))}
        </pre>
      )}
      {isOpen || call.below.length === 0 ? null : (
        <p class="below-last">{visibleLine(lastOf(call.below).slice(0, 200))}</p>
      )}
      {call.diffs.map(({ change, omitted, path, text }) =>
        text === "" ? (
          <p class="remark" title={visibleLine(path)}>
            {change} {visibleLine(below(project, path))}
          </p>
        ) : (
          <details class="change" open={text.length < 4000}>
            <summary>
              {change} <code title={visibleLine(path)}>{visibleLine(below(project, path))}</code>
            </summary>
            <DiffView text={text} path={below(project, path)} />
            {omitted === 0 ? null : <p class="remark">{many(omitted, "more line")}</p>}
          </details>
        )
      )}
      {isOpen ? <Inside call={call} revision={call.revision} /> : null}
      {isOpen && call.below.length > 0 ? (
        <div class="below">
          {call.below.map((item) => (
            <Fragment key={item.key}>{row(item)}</Fragment>
          ))}
        </div>
      ) : null}
    </div>
  )
}
