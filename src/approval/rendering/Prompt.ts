import { lookalikeWords } from "../../text/lookalikes.ts"
import { escaped, makeVisible, visibleLine } from "../../text/visible.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import type { PreviewTarget } from "../../tool/Preview.ts"
import { measure } from "../../redaction/shownArguments.ts"
import { exact, invisibleIn } from "./Exact.ts"
import { foreign, type ForeignKind, type Line, own } from "./Line.ts"

/** What is longer is allowed once only: nobody remembers what it was. */
const longText = 4096
const longLines = 40
const longDiff = 64 * 1024
const longDiffLines = 400

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

/** So many empty lines in a row are counted. */
const emptyRun = 4

/** Every line of a text, exactly; lines that are empty one after the other are counted by the runtime, outside the margin. */
const exactLines = (
  text: string,
  kindOf: (line: string) => ForeignKind = () => "value",
  told: (line: string) => string = exact
): ReadonlyArray<Line> => {
  const out: Array<Line> = []
  let empty = 0
  const settle = () => {
    if (empty >= emptyRun) out.push(own("field", `… ${empty} empty lines …`))
    else for (let at = 0; at < empty; at++) out.push(foreign("value", ""))
    empty = 0
  }
  for (const line of text.split("\n")) {
    if (line === "") {
      empty++
      continue
    }
    settle()
    out.push(foreign(kindOf(line), told(line)))
  }
  settle()
  return out
}

const isLong = (text: string): boolean => text.length > longText || text.split("\n").length > longLines

const textOf = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "null")

const argument = (name: string, value: unknown, shown: ReadonlyArray<string>): ReadonlyArray<Line> => {
  const text = textOf(value)
  const size = isLong(text) ? ` ${measure(text)}` : ""
  if (!parameterName.test(name)) {
    return [own("field", `a parameter called:`), ...exactLines(name), own("field", `is:${size}`), ...exactLines(text)]
  }
  if (shown.includes(name)) return []
  const label = narration.has(name.toLowerCase()) ? `${name} (the model's own words)` : name
  return [own("field", `${label}:${size}`), ...exactLines(text)]
}

/** What a reader cannot tell from the text of a command or an address. */
const touchLines = ({ touches }: ApprovalRequest): ReadonlyArray<Line> => {
  if (touches === undefined) return []
  const { commands, hosts } = touches
  return [
    ...(commands === null ? [own("warning", "commands: not a plain list of commands; read all of it")] : []),
    ...(typeof commands === "number" && commands > 1 ? [own("field", `commands: ${commands}`)] : []),
    ...hosts.map((host) => own("field", `host: ${host.replace(/:(?:80|443)$/, "")}`))
  ]
}

const entriesOf = (value: unknown): ReadonlyArray<readonly [string, unknown]> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [["arguments", value]]

const diffKind = (line: string): "added" | "removed" | "diff" =>
  line.startsWith("+") && !line.startsWith("+++")
    ? "added"
    : line.startsWith("-") && !line.startsWith("---")
      ? "removed"
      : "diff"

const diffLines = (diff: string): ReadonlyArray<Line> =>
  exactLines(diff.replace(/\n$/, ""), diffKind, (line) =>
    /^[ +-]/.test(line) ? line.slice(0, 1) + exact(line.slice(1)) : exact(line)
  )

/** Whom an answer for longer would cover. */
const audience = ({ workerPath }: ApprovalRequest): string =>
  workerPath.length > 1 ? "for every sub-worker" : "but sub-workers ask"

/** Why a call can only be allowed once. */
const whyOnce = ({ arguments: given, masked = 0, preview, repeats }: ApprovalRequest): string => {
  if (masked > 0) return "it contains a secret"
  if (repeats !== undefined) return "it repeats the same call"
  if (preview?.once === true) return "it asks every time"
  return tooLongToRepeat(given, preview?.diff)
    ? "it is too long to be allowed again unread"
    : "what it runs is not fully known"
}

/** What the same call is, to a person. */
const sameness = ({ grant = "", touches, tool }: ApprovalRequest): string => {
  const { commands, hosts = [], names = [], paths = [] } = touches ?? {}
  if (commands !== undefined) return "exactly this command"
  if (grant.endsWith(": this exact call") || names.length > 0) return "the same call"
  if (paths.length > 0 && hosts.length === 0) {
    return `${visibleLine(tool)} on ${paths.length === 1 ? "this path" : "these paths"}`
  }
  return hosts.length === 1 && paths.length === 0 ? `${visibleLine(tool)} at this host` : "the same call"
}

/** What an answer for longer would cover, in full. */
export const scopeLines = (request: ApprovalRequest): ReadonlyArray<Line> => {
  const { grant, rule, scopes } = request
  if (scopes.length === 1) return [own("choice", `once only: ${whyOnce(request)}`)]
  const longer = scopes.filter((scope) => scope === "task" || scope === "session")
  return [
    ...(grant === undefined || longer.length === 0
      ? []
      : [
          own("choice", `${longer.join(" or ")}: allows ${sameness(request)} until it ends, ${audience(request)}`),
          foreign("value", visibleLine(grant))
        ]),
    ...(rule === undefined || !scopes.includes("always")
      ? []
      : [own("choice", "always: saves this rule"), foreign("value", visibleLine(rule))])
  ]
}

const ordinals = (): Intl.PluralRules => new Intl.PluralRules("en", { type: "ordinal" })
const endings: Readonly<Record<string, string>> = { one: "st", two: "nd", few: "rd" }

/** What a wider answer would cover: the rule that it makes. */
export const widerLines = ({ wider }: ApprovalRequest): ReadonlyArray<Line> =>
  wider === undefined
    ? []
    : [
        own("choice", "wider: allows for the session what fits this rule and is not protected"),
        foreign("value", visibleLine(wider.rule))
      ]

/** What a call is that repeats those before it, e.g. `the 4th identical call in a row with the same result`. */
export const repeatedText = (repeats: number): string =>
  `the ${repeats}${endings[ordinals().select(repeats)] ?? "th"} identical call in a row with the same result`

/** That the call repeats those before it, where it does. */
const repeatLines = ({ repeats }: ApprovalRequest): ReadonlyArray<Line> =>
  repeats === undefined ? [] : [own("warning", repeatedText(repeats))]

/** Whether a text of the parameters or the diff is too long to allow it for more than once. */
export const tooLongToRepeat = (given: unknown, diff: string | undefined): boolean =>
  entriesOf(given).some(([, value]) => isLong(textOf(value))) ||
  (diff !== undefined && (diff.length > longDiff || diff.split("\n").length > longDiffLines))

/** The parameters of the call, and what a reader cannot tell from them. */
const argumentLines = (request: ApprovalRequest): ReadonlyArray<Line> => [
  ...entriesOf(request.arguments).flatMap(([name, value]) => argument(name, value, request.preview?.shows ?? [])),
  ...touchLines(request)
]

const plural = (count: number, one: string): string =>
  `${count.toLocaleString("en-US")} ${one}${count === 1 ? "" : "s"}`

/** The worst command of a shell text, before the text: nobody has to find it between others. */
const severityLines = ({ severity }: ApprovalRequest): ReadonlyArray<Line> => {
  const [worst, ...others] = severity?.because ?? []
  if (severity === undefined || worst === undefined || severity.level === "reads") return []
  if (severity.level === "ordinary" && others.length === 0) return []
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`
  return [
    severity.level === "ordinary" ? own("field", `riskiest:${more}`) : own("warning", `${severity.level}:${more}`),
    foreign("summary", `${visibleLine(worst.command)}: ${visibleLine(worst.reason)}`)
  ]
}

const maximumLookalikes = 8

/** A word with its letters of other alphabets as escapes beside it: `c\u{430}t`. */
const lettersOf = (word: string): string => {
  const shown = visibleLine(word.slice(0, 64))
  return `${shown} is ${Array.from(shown, (letter) => (letter > "~" ? escaped(letter) : letter)).join("")}`
}

/** What a reader should know before the text. */
const warningLines = ({ arguments: given, masked = 0, preview }: ApprovalRequest): ReadonlyArray<Line> => {
  const shows = preview?.shows ?? []
  const texts = entriesOf(given).flatMap(([name, value]) => (shows.includes(name) ? [name] : [name, textOf(value)]))
  const alike = [...new Set(texts.flatMap(lookalikeWords))]
  const invisible = [...texts, preview?.diff ?? ""].reduce((sum, text) => sum + invisibleIn(text), 0)
  return [
    ...(invisible === 0 ? [] : [own("warning", `${plural(invisible, "invisible character")}, shown as escapes`)]),
    ...(alike.length === 0
      ? []
      : [
          own("warning", `${plural(alike.length, "word")} with letters that look like others`),
          ...alike.slice(0, maximumLookalikes).map((word) => foreign("value", lettersOf(word)))
        ]),
    ...(masked === 0 ? [] : [own("warning", `${plural(masked, "secret")} masked`)])
  ]
}

/** The way from the root worker to the one that asks, where it is another. */
const workerLines = ({ workerPath }: ApprovalRequest): ReadonlyArray<Line> =>
  workerPath.length > 1 ? [own("field", "worker:"), foreign("value", workerPath.map(visibleLine).join(" › "))] : []

const asOf = ({ baseHash, path }: PreviewTarget): string =>
  `${path.split("\n").map(exact).join("␊")}${baseHash === null ? "" : ` (as of ${baseHash.slice(0, 12)})`}`

/**
 * All that an approval covers, the parameters and the diff to their last character, made by the runtime from the bytes that
 * the decision is bound to: no word of the model stands where the runtime speaks.
 */
export const approvedLines = (request: ApprovalRequest): ReadonlyArray<Line> => {
  const { message, preview } = request
  return [
    ...workerLines(request),
    ...repeatLines(request),
    ...severityLines(request),
    ...warningLines(request),
    foreign("summary", visibleLine(message)),
    ...argumentLines(request),
    ...(preview?.diff === undefined ? [] : [own("field", "diff:"), ...diffLines(preview.diff)])
  ]
}

/** What more there is to know of a request. */
export const aboutLines = (request: ApprovalRequest): ReadonlyArray<Line> => {
  const { digest, id, preview } = request
  const shows = preview?.shows ?? []
  return [
    ...(shows.length === 0 ? [] : [own("field", `in the diff: ${shows.join(", ")}`)]),
    ...(preview === undefined || preview.targets.length === 0
      ? []
      : [own("field", "touches:"), ...preview.targets.map((target) => foreign("value", asOf(target)))]),
    ...scopeLines(request),
    ...widerLines(request),
    own("field", `request ${id}`),
    own("field", `bound to ${digest}`)
  ]
}

/** What is asked, and how risky it is. */
export const titleLine = ({ risk, tool }: ApprovalRequest): Line =>
  own("title", `${visibleLine(tool)} asks for approval (${risk} risk)`)

/** The last messages, for whoever wants to know how it came to this. */
export const contextLines = (request: ApprovalRequest): ReadonlyArray<Line> =>
  (request.context ?? []).flatMap(({ content, role }) => [
    own("field", `${role}:`),
    ...makeVisible(content)
      .split("\n")
      .map((line) => foreign("context", line.replaceAll("\t", "  ")))
  ])
