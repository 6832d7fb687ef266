import type { PermissionOption, RequestPermissionRequest, ToolCallContent } from "@agentclientprotocol/sdk"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Line } from "../approval/rendering/Line.ts"
import { marginMark } from "../approval/rendering/Line.ts"
import { approvedLines, scopeLines, titleLine, widerLines } from "../approval/rendering/Prompt.ts"
import { visibleLine } from "../text/visible.ts"
import type { ApprovalRequest, Scope, WiderKind } from "../tool/ApprovalRequest.ts"
import type { Approval } from "../ui/Display.ts"
import { kindOf, titleOf } from "./Call.ts"
import { diffsOf } from "./Diffs.ts"
import { fenced, said } from "./fenced.ts"

/** What an option of a request stands for. */
export type Choice =
  /** `wider` covers what the request says besides the same call. */
  | { readonly _tag: "Allow"; readonly scope: Scope; readonly wider?: WiderKind }
  /** Other parameters, which a form asks for. */
  | { readonly _tag: "Edit" }
  | { readonly _tag: "Reject" }
  /** With a reason, which a form asks for. */
  | { readonly _tag: "Explain" }

interface Offered extends PermissionOption {
  readonly choice: Choice
}

/** Characters of a rule in the name of an option; the content of the request has it whole. */
const maxRule = 200

const cut = (text: string): string => (text.length > maxRule ? `${text.slice(0, maxRule - 1)}…` : text)

const allow = (optionId: string, name: string, choice: Omit<Extract<Choice, { _tag: "Allow" }>, "_tag">): Offered => ({
  optionId,
  name,
  kind: choice.scope === "once" ? "allow_once" : "allow_always",
  choice: { _tag: "Allow", ...choice }
})

/** What may be answered: the first option of each kind is the plain one, as editors bind keys to kinds. */
export const offeredFor = (
  { masked = 0, rule, scopes, wider }: ApprovalRequest,
  forms: boolean
): ReadonlyArray<Offered> => {
  const forSession = scopes.includes("session")
  const offered: ReadonlyArray<Offered | false> = [
    allow("once", "Allow once", { scope: "once" }),
    scopes.includes("task") && allow("task", "Allow for this task", { scope: "task" }),
    forSession && allow("session", "Allow for this session", { scope: "session" }),
    forSession &&
      wider !== undefined &&
      allow("wider", `Allow for this session: ${cut(visibleLine(wider.rule))}`, {
        scope: "session",
        wider: wider.kind
      }),
    scopes.includes("always") &&
      rule !== undefined &&
      allow("always", `Always allow: ${cut(visibleLine(rule))}`, { scope: "always" }),
    { optionId: "reject", name: "Reject", kind: "reject_once", choice: { _tag: "Reject" } },
    forms && {
      optionId: "explain",
      name: "Reject with a reason…",
      kind: "reject_once",
      choice: { _tag: "Explain" }
    },
    // What is masked would be written over.
    forms &&
      masked === 0 && {
        optionId: "edit",
        name: "Edit, then ask again…",
        kind: "allow_once",
        choice: { _tag: "Edit" }
      }
  ]
  return offered.filter((one) => one !== false)
}

const textOf = ({ margin, text }: Line): string => (margin ? `${marginMark}${text}` : text)

/** The lines without those of the diff, which come last. */
const withoutDiff = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const from = lines.findLastIndex(({ kind, margin, text }) => kind === "field" && !margin && text === "diff:")
  return lines.slice(0, from)
}

/** All that a decision covers: the changes as diffs, and every other character as text that the runtime has made. */
const contentOf = (request: ApprovalRequest, directory: string): Array<ToolCallContent> => {
  const { because, preview } = request
  const diffs = preview?.diff === undefined ? undefined : diffsOf(preview.diff, directory)
  const approved = approvedLines(request)
  const lines = [
    titleLine(request),
    ...(diffs === undefined ? approved : withoutDiff(approved)),
    ...(because === undefined ? [] : [{ kind: "field", margin: false, text: `asked because: ${because}` } as const]),
    ...scopeLines(request),
    ...widerLines(request)
  ]
  return [
    ...(diffs ?? []).map((diff): ToolCallContent => ({ type: "diff", ...diff })),
    said(fenced(lines.map(textOf).join("\n")))
  ]
}

/** The question that an editor is asked, on its own session whichever worker asks. */
export const requestOf = (
  { call, request }: Pick<Approval, "call" | "request">,
  { directory, forms, session }: { readonly session: string; readonly directory: string; readonly forms: boolean }
): RequestPermissionRequest => {
  const { arguments: given, risk, tool, touches, workerPath } = request
  const shown = { tool, arguments: JSON.stringify(given) ?? "", worker: workerPath }
  return {
    sessionId: session,
    toolCall: {
      toolCallId: call.key,
      title: `${titleOf(shown, "asked")} (${risk} risk)`,
      kind: kindOf(tool),
      status: "pending",
      rawInput: given,
      content: contentOf(request, directory),
      locations: [...new Set((touches?.paths ?? []).map(({ path }) => path))].map((path) => ({ path }))
    },
    options: offeredFor(request, forms).map(({ kind, name, optionId }) => ({ kind, name, optionId }))
  }
}

const Answer = Schema.Struct({
  outcome: Schema.Union(
    Schema.Struct({ outcome: Schema.Literal("cancelled") }),
    Schema.Struct({ outcome: Schema.Literal("selected"), optionId: Schema.String })
  )
})

const decode = Schema.decodeUnknownOption(Answer)

/** What an editor has answered; nothing where it is no answer of the protocol, which the library passes on as it came. */
export const outcomeOf = (answer: unknown): (typeof Answer.Type)["outcome"] | undefined =>
  Option.getOrUndefined(Option.map(decode(answer), ({ outcome }) => outcome))

/** What was chosen; a request that was cancelled is not answered, and nothing was by what is none of the options. */
export const chosen = (answer: unknown, offered: ReadonlyArray<Offered>): Choice | "cancelled" | undefined => {
  const outcome = outcomeOf(answer)
  if (outcome?.outcome === "cancelled") return "cancelled"
  return offered.find(({ optionId }) => optionId === outcome?.optionId)?.choice
}
