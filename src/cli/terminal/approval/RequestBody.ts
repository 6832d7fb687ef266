import { type Line, own } from "../../../approval/rendering/Line.ts"
import {
  aboutLines,
  approvedLines,
  contextLines,
  scopeLines,
  titleLine,
  widerLines
} from "../../../approval/rendering/Prompt.ts"
import type { ApprovalRequest } from "../../../tool/ApprovalRequest.ts"
import type { Approval } from "../../../ui/Display.ts"
import { askedAgain } from "../../../ui/narration/resolution.ts"
import { many } from "../../../ui/Words.ts"
import type { Paged } from "../Pager.ts"
import type { Screen } from "../Screen.ts"
import { waitingHead } from "../transcript/callHead.ts"
import { rowsOf } from "./approvalRows.ts"

/** Rows of the screen that a request does not take, besides its choices: those of its head, and one to spare. */
const reserved = 3
/** Rows of a diff that can be allowed by one key as they stand; a longer one is read to its end first, or allowed by a capital. */
export const shortDiff = 20
/** Columns in front of what stands under the header of a call, and the last one, where some terminals break. */
export const indented = 5

/** What a prompt shows beside the question, and whether that is everything to approve. */
export interface Body {
  readonly rows: ReadonlyArray<string>
  readonly whole: boolean
}

/** Why `a` is missing where longer answers are offered. */
const neverAlways = ({ scopes }: ApprovalRequest): ReadonlyArray<Line> =>
  scopes.includes("session") && !scopes.includes("always")
    ? [own("choice", "not always: no saved rule can match exactly this call")]
    : []

/** The first row of a request. */
export const headOf = (request: ApprovalRequest, screen: Screen["Type"]): string =>
  waitingHead(request, { style: screen.style, width: screen.width() - 1 })

/** The rule that a wider answer makes, which stands alone: on a narrow screen both would not fit with the call, which has been read. */
export const widerRows = (request: ApprovalRequest, screen: Screen["Type"]): ReadonlyArray<string> =>
  rowsOf(widerLines(request), screen.width() - indented, screen.style).map(({ text }) => `    ${text}`)

/** Why the same request stands there once more. */
export const againLines = (again: Approval["again"]): ReadonlyArray<Line> =>
  again === undefined ? [] : [own("warning", askedAgain)]

export const bodyOf = (
  { again, request }: Pick<Approval, "again" | "request">,
  screen: Screen["Type"],
  choices: number
): Body => {
  const { style } = screen
  const room = screen.width() - indented
  const approved = rowsOf([...againLines(again), ...approvedLines(request)], room, style)
  const scopes = rowsOf([...scopeLines(request), ...neverAlways(request)], room, style)
  const limit = screen.height() - reserved - choices - scopes.length
  const whole = approved.length <= limit
  const first = whole ? approved : approved.slice(0, Math.max(0, limit - 1))
  const more = `… ${many(approved.length - first.length, "more row")}: d shows everything`
  const cut = whole ? [] : rowsOf([own("warning", more)], room, style)
  return {
    rows: ["", headOf(request, screen), ...[...first, ...cut, ...scopes].map(({ text }) => `    ${text}`)],
    whole
  }
}

/** All there is to know of a request; only what is approved must be read. */
export const detailsOf = (request: ApprovalRequest, unmasked: ReadonlyArray<Line> = []): Paged => {
  const approved: ReadonlyArray<Line> = [titleLine(request), ...unmasked, ...approvedLines(request)]
  return { lines: [...approved, ...aboutLines(request), ...contextLines(request)], counted: approved.length }
}

/** Whether a diff is so long that its end must have been paged to. */
export const isLongDiff = ({ preview }: ApprovalRequest): boolean =>
  preview?.diff !== undefined && preview.diff.trimEnd().split("\n").length > shortDiff

/** Several requests, all of which is to be read. */
export const listOf = (requests: ReadonlyArray<ApprovalRequest>): Paged => {
  const lines = requests.flatMap((one, index) => [
    own("field", `${index + 1} of ${requests.length}`),
    titleLine(one),
    ...approvedLines(one)
  ])
  return { lines, counted: lines.length }
}
