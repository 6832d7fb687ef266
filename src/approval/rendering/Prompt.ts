import { canonicalHost } from "../../policy/network/HostPattern.ts"
import { words } from "../../policy/shell/ShellPolicy.ts"
import { makeVisible } from "../../redaction/visible.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import type { PreviewTarget } from "../../tool/Preview.ts"
import { cutText, measure } from "./Arguments.ts"
import { foreign, type Line, own } from "./Line.ts"

/** How a request stands at the moment. */
export interface PromptState {
  /** Requests shown before this one. */
  readonly ahead: number
  /** Requests that wait behind it. */
  readonly behind?: number
  /** Absent where it is not being shown. */
  readonly millisLeft?: number
}

const maxLines = 40
const maxDiffLines = 400

/** Names under which a model tells why; they prove nothing. */
const narration = new Set([
  "description",
  "reason",
  "rationale",
  "explanation",
  "justification",
  "comment",
  "purpose",
  "summary",
  "intent",
  "thought",
  "why"
])

/** A name as tools give them to their parameters; whatever else a model has made up. */
const parameterName = /^[A-Za-z_$][\w$.-]{0,63}$/
const maxName = 200

/** Runs of blanks that could push the rest out of sight. */
const collapse = (text: string): string =>
  text.replaceAll(/[ \t]{9,}/g, (run) => ` … [${run.length} blanks] … `).replaceAll("\t", "  ")

const oneLine = (text: string): string => collapse(makeVisible(text)).replaceAll("\n", " ")

/** Empty lines do to a text what blanks do to a line. */
const closeUp = (text: string): string =>
  text.replaceAll(/\n(?:[ \t]*\n){4,}/g, (run) => `\n… [${run.split("\n").length - 2} empty lines] …\n`)

const linesOf = (text: string): ReadonlyArray<string> => closeUp(makeVisible(text)).split("\n").map(collapse)

const block = (text: string): ReadonlyArray<Line> => {
  const lines = linesOf(text)
  if (lines.length <= maxLines) return lines.map((line) => foreign("value", line))
  const half = maxLines / 2
  return [
    ...lines.slice(0, half).map((line) => foreign("value", line)),
    own("warning", `… ${lines.length - maxLines} lines not shown … ${measure(text)}`),
    ...lines.slice(-half).map((line) => foreign("value", line))
  ]
}

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "null")

const argument = (name: string, value: unknown): ReadonlyArray<Line> => {
  if (!parameterName.test(name)) {
    return [
      own("field", "a parameter called:"),
      foreign("value", oneLine(cutText(name, maxName))),
      ...block(textOf(value))
    ]
  }
  const label = narration.has(name.toLowerCase()) ? `${name} (the model's own words)` : name
  return [own("field", `${label}:`), ...block(textOf(value))]
}

/** What a reader cannot tell from the text of a command or an address. */
const insight = (name: string, value: unknown): ReadonlyArray<Line> => {
  if (typeof value !== "string") return []
  if (name === "command") {
    const commands = words(value)
    return [
      commands === undefined
        ? own("warning", "commands: not a plain list of commands; read all of it")
        : own("field", `commands: ${commands.length}`)
    ]
  }
  if (name === "url" && URL.canParse(value)) {
    const host = canonicalHost(new URL(value).hostname)
    return host === undefined ? [] : [own("field", `host: ${host}`)]
  }
  return []
}

const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [["arguments", value]]

const diffKind = (line: string): "added" | "removed" | "diff" =>
  line.startsWith("+") && !line.startsWith("+++")
    ? "added"
    : line.startsWith("-") && !line.startsWith("---")
      ? "removed"
      : "diff"

const diffLines = (diff: string): ReadonlyArray<Line> => {
  const lines = makeVisible(diff).split("\n")
  const shown = lines.slice(0, maxDiffLines).map((line) => foreign(diffKind(line), line.replaceAll("\t", "  ")))
  return lines.length <= maxDiffLines
    ? shown
    : [...shown, own("warning", `… ${lines.length - maxDiffLines} more lines of the diff …`)]
}

/** Whom an answer for longer would cover. */
const audience = ({ workerPath }: ApprovalRequest): string =>
  workerPath.length > 1 ? "for every sub-worker" : "for this agent, not its sub-workers,"

/** What an answer for longer would cover, in full. */
export const scopeLines = (request: ApprovalRequest): ReadonlyArray<Line> =>
  request.scopes.flatMap((scope) => {
    switch (scope) {
      case "once":
        return []
      case "task":
        return [
          own("choice", `task: ${audience(request)} until the task ends`),
          foreign("value", oneLine(request.grant ?? ""))
        ]
      case "session":
        return [
          own("choice", `session: ${audience(request)} until the session ends`),
          foreign("value", oneLine(request.grant ?? ""))
        ]
      case "always":
        return [own("choice", "always: saves the rule"), foreign("value", oneLine(request.rule ?? ""))]
    }
  })

const ordinals = new Intl.PluralRules("en", { type: "ordinal" })
const endings: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" }

/** What a call is that repeats those before it, e.g. `the 4th identical call in a row with the same result`. */
export const repeatedText = (repeats: number): string =>
  `the ${repeats}${endings[ordinals.select(repeats)] ?? "th"} identical call in a row with the same result`

/** That the call repeats those before it, where it does. */
export const repeatLines = ({ repeats }: ApprovalRequest): ReadonlyArray<Line> =>
  repeats === undefined ? [] : [own("warning", repeatedText(repeats))]

/** Whether a person who reads the prompt has seen all lines of the parameters and of the diff. */
export const showsAll = (given: unknown, diff: string | undefined): boolean =>
  entriesOf(given).every(([, value]) => linesOf(textOf(value)).length <= maxLines) &&
  (diff === undefined || diff.split("\n").length <= maxDiffLines)

/** The parameters of the call, and what a reader cannot tell from them. */
export const argumentLines = (request: ApprovalRequest): ReadonlyArray<Line> =>
  entriesOf(request.arguments).flatMap(([name, value]) => [...argument(name, value), ...insight(name, value)])

/** What a reader cannot tell from the parameters alone. */
export const insightLines = (request: ApprovalRequest): ReadonlyArray<Line> =>
  entriesOf(request.arguments).flatMap(([name, value]) => insight(name, value))

/** The way from the root worker to the one that asks, where it is another. */
export const workerLines = ({ workerPath }: ApprovalRequest): ReadonlyArray<Line> =>
  workerPath.length > 1 ? [own("field", "worker:"), foreign("value", workerPath.map(oneLine).join(" › "))] : []

/** How long there is and who waits, e.g. `12 s left, 2 more wait`. */
export const stateLine = ({ ahead, behind = 0, millisLeft }: PromptState): string =>
  [
    ahead > 0 ? `${ahead} shown before it` : undefined,
    millisLeft === undefined ? undefined : `${Math.max(0, Math.ceil(millisLeft / 1000))} s left`,
    behind > 0 ? `${behind} more wait` : undefined
  ]
    .filter((part) => part !== undefined)
    .join(", ")

const asOf = ({ baseHash, path }: PreviewTarget): string =>
  `${oneLine(path)}${baseHash === null ? "" : ` (as of ${baseHash.slice(0, 12)})`}`

/**
 * What a person sees of a request, made by the runtime from the bytes that the decision is bound to: no word of the model
 * stands where the runtime speaks (A9).
 */
export const promptLines = (request: ApprovalRequest, state: PromptState): ReadonlyArray<Line> => {
  const status = stateLine(state)
  const { digest, id, message, preview, risk, tool } = request
  return [
    own("title", `${makeVisible(tool)} asks for approval (${risk} risk)`),
    ...workerLines(request),
    foreign("value", oneLine(cutText(message, 400))),
    ...argumentLines(request),
    ...(preview?.diff === undefined ? [] : [own("field", "diff:"), ...diffLines(preview.diff)]),
    ...(preview === undefined || preview.targets.length === 0
      ? []
      : [own("field", "touches:"), ...preview.targets.map((target) => foreign("value", asOf(target)))]),
    ...scopeLines(request),
    own("field", `request ${id}`),
    own("field", `bound to ${digest}`),
    ...(status === "" ? [] : [own("field", status)])
  ]
}

/** The last messages, for whoever wants to know how it came to this. */
export const contextLines = (request: ApprovalRequest): ReadonlyArray<Line> =>
  (request.context ?? []).flatMap(({ content, role }) => [
    own("field", `${role}:`),
    ...linesOf(content).map((line) => foreign("context", line))
  ])
