import { exact, invisibleIn } from "../../approval/rendering/Exact.ts"
import type { Line } from "../../approval/rendering/Line.ts"
import { contextLines, repeatedText, scopeLines, widerLines } from "../../approval/rendering/Prompt.ts"
import { visibleLine } from "../../text/visible.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import { many } from "../../ui/Words.ts"
import { coloured } from "../text/Code.tsx"
import { DiffView } from "../text/DiffView.tsx"
import { below } from "../view/place.ts"

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "null")

/** The parameters by their names; of a call that has none, what it was called with. */
const parametersOf = (given: unknown): ReadonlyArray<readonly [string, unknown]> =>
  typeof given === "object" && given !== null && !Array.isArray(given) ? Object.entries(given) : [["arguments", given]]

/** Parameters that are shell text. */
const shell = new Set(["command", "script", "cmd"])

/** A text to its last character: what nobody would see stands there as an escape. */
const Exact = ({ language = "", text }: { readonly text: string; readonly language?: string }) => (
  <pre class="exact" tabIndex={0} role="group" aria-label="Exact text">
    {text.split("\n").map((line) => (
      <span class="exact-line">
        {coloured(exact(line), language)}
        {"\n"}
      </span>
    ))}
  </pre>
)

/** Lines that the runtime makes of a request, its own words apart from those of others. */
export const Lines = ({ lines }: { readonly lines: ReadonlyArray<Line> }) => (
  <>
    {lines.map(({ kind, margin, text }) => (
      <div class={`line line-${kind}${margin ? " foreign" : ""}`}>{text}</div>
    ))}
  </>
)

const Warnings = ({ request }: { readonly request: ApprovalRequest }) => {
  const { arguments: given, masked = 0, preview, repeats, severity, touches } = request
  const shows = preview?.shows ?? []
  const told = parametersOf(given).flatMap(([name, value]) => (shows.includes(name) ? [name] : [name, textOf(value)]))
  const texts = [...told, preview?.diff ?? ""]
  const invisible = texts.reduce((sum, text) => sum + invisibleIn(text), 0)
  const because = severity === undefined || severity.level === "reads" ? [] : severity.because
  return (
    <>
      {repeats === undefined ? null : <p class="warning">This is {repeatedText(repeats)}.</p>}
      {because.map(({ command, reason }) => (
        <p class={severity?.level === "ordinary" ? "remark" : "warning"}>
          <b>{severity?.level}</b> <code>{visibleLine(command)}</code> {visibleLine(reason)}
        </p>
      ))}
      {invisible === 0 ? null : <p class="warning">{many(invisible, "invisible character")}, shown as escapes</p>}
      {masked === 0 ? null : <p class="warning">{many(masked, "secret")} masked</p>}
      {touches?.commands === null ? <p class="warning">Not a plain list of commands: read all of it.</p> : null}
    </>
  )
}

const verbs = { read: "reads", write: "writes", remove: "removes", list: "lists" } as const

interface Props {
  readonly request: ApprovalRequest
  /** The directory below which paths are shown by what follows it. */
  readonly project: string
}

const Touches = ({ project, request: { preview, touches } }: Props) => {
  const hashes = new Map((preview?.targets ?? []).map(({ baseHash, path }) => [path, baseHash]))
  if (touches === undefined) return <p class="remark">The tool does not declare what a call touches.</p>
  const { commands, hosts, names, paths } = touches
  const rows = [
    ...paths.map(({ op, path }) => ({ what: verbs[op], name: path, as: hashes.get(path) })),
    ...hosts.map((host) => ({ what: "reaches", name: host.replace(/:(?:80|443)$/, ""), as: undefined })),
    ...names.map((name) => ({ what: "uses", name, as: undefined })),
    ...(typeof commands === "number" && commands > 1
      ? [{ what: "runs", name: many(commands, "command"), as: undefined }]
      : [])
  ]
  if (rows.length === 0) return null
  return (
    <ul class="touches">
      {rows.map(({ as, name, what }) => (
        <li>
          <span class="verb">{what}</span> <code title={exact(name)}>{exact(below(project, name))}</code>
          {typeof as === "string" ? <span class="quiet"> as of {as.slice(0, 12)}</span> : null}
        </li>
      ))}
    </ul>
  )
}

/** All that an approval covers, to the last character, and what is known about it; the words of a model never stand where the runtime speaks. */
export const RequestBody = ({ project, request }: Props) => {
  const { arguments: given, context = [], digest, id, message, preview } = request
  const shows = preview?.shows ?? []
  const beside = parametersOf(given).filter(([name]) => !shows.includes(name))
  return (
    <>
      <p class="summary">{visibleLine(message)}</p>
      <Warnings request={request} />
      {preview?.diff === undefined ? null : (
        <DiffView text={preview.diff} path={below(project, preview.targets[0]?.path ?? "")} />
      )}
      {preview?.unchanged === true ? <p class="remark">It leaves everything as it is.</p> : null}
      <dl class="parameters">
        {beside.map(([name, value]) => (
          <>
            <dt>{exact(name)}</dt>
            <dd>
              <Exact
                text={textOf(value)}
                language={typeof value !== "string" ? "json" : shell.has(name) ? "bash" : ""}
              />
            </dd>
          </>
        ))}
      </dl>
      {shows.length === 0 ? null : <p class="quiet">In the diff: {shows.map(exact).join(", ")}</p>}
      <Touches project={project} request={request} />
      {context.length === 0 ? null : (
        <details class="context">
          <summary>Last {many(context.length, "message")}</summary>
          <Lines lines={contextLines(request)} />
        </details>
      )}
      <details class="context">
        <summary>What longer answers cover</summary>
        <Lines lines={[...scopeLines(request), ...widerLines(request)]} />
      </details>
      <p class="quiet digest">
        {id} · bound to <code title={digest}>{digest.slice(0, 16)}…</code>
      </p>
    </>
  )
}
