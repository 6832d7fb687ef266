import * as Either from "effect/Either"
import { cutWords } from "../text/excerpt.ts"
import type { RedactorShape } from "../redaction/Redactor.ts"
import { cutMiddle, makeVisible } from "../text/visible.ts"
import { type ApprovalRequest, type ContextMessage, type Scope } from "../tool/ApprovalRequest.ts"
import type { Preview } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import type { Grantable } from "./Grantable.ts"
import { repeatedText, tooLongToRepeat } from "./rendering/Prompt.ts"
import { type Shown, shownCall } from "./rendering/Shown.ts"
import { riskOf } from "./risk.ts"
import { describe } from "./Rule.ts"

/** Messages of the conversation that go along, and characters of each. */
const maxContext = 10
const maxContextText = 600
const maxMessage = 1000

/** Where the agent puts the last messages of the conversation for a call: `() => ReadonlyArray<ContextMessage>`. */
export const contextKey = "tollgate/approval/context"

const contextOf = (redactor: RedactorShape, call: ToolCall): ReadonlyArray<ContextMessage> => {
  const last = call.metadata[contextKey]
  if (typeof last !== "function") return []
  const messages: ReadonlyArray<ContextMessage> = last()
  return messages.slice(-maxContext).map(({ content, role }) => ({
    role,
    content: cutMiddle(makeVisible(redactor.text(cutWords(content, 8 * maxContextText))), maxContextText)
  }))
}

export interface RequestParts {
  readonly id: string
  readonly call: ToolCall
  readonly digest: string
  readonly preview: Preview | undefined
  readonly grantable: Grantable
  /** Whether `always` may be offered at all. */
  readonly always: boolean
  readonly requestedAt: number
  readonly timeoutMillis: number
  readonly redactor: RedactorShape
}

/** The parameters and the diff as they are, secrets included: for the screen of whoever decides, and for nothing else. */
export type Unmasked = Pick<ApprovalRequest, "arguments" | "preview">

const withDiff = (preview: Preview, summary: string, diff: string | undefined): Preview => ({
  ...preview,
  summary,
  ...(diff === undefined ? {} : { diff })
})

/** What is asked, as everybody else may see it, the parameters and the diff whole; why not where they cannot be shown. */
export const requestOf = (parts: RequestParts): Either.Either<ApprovalRequest, string> => {
  const shown = shownCall(parts.redactor, parts.call.rawParams, parts.preview?.diff, parts.preview?.shows)
  return typeof shown === "string" ? Either.left(shown) : Either.right(assembled(parts, shown))
}

const assembled = (
  { always, call, digest, grantable, id, preview, redactor, requestedAt, timeoutMillis }: RequestParts,
  { arguments: given, diff, masked }: Shown
): ApprovalRequest => {
  const visible = (text: string) => makeVisible(redactor.shown(text).text)
  const show = (text: string) => cutMiddle(visible(text), maxMessage)
  const { repeats } = call
  const once =
    masked > 0 ||
    preview?.once === true ||
    grantable.basis === undefined ||
    repeats !== undefined ||
    tooLongToRepeat(given, diff)
  const again = repeats === undefined ? "" : `This is ${repeatedText(repeats)}. `
  const { rule } = grantable
  const scopes: ReadonlyArray<Scope> = once
    ? ["once"]
    : always && rule !== undefined
      ? ["once", "task", "session", "always"]
      : ["once", "task", "session"]
  const context = contextOf(redactor, call)
  const words = visible(grantable.subject.words)
  return {
    id,
    callId: call.callId,
    sessionId: call.sessionId,
    tool: call.name,
    workerPath: call.workerPath,
    ...riskOf(call.tool, grantable.subject, show),
    digest,
    arguments: given,
    ...(masked === 0 ? {} : { masked }),
    message: show(`${again}${preview?.summary ?? call.tool.description}`),
    ...(repeats === undefined ? {} : { repeats }),
    ...(preview === undefined ? {} : { preview: withDiff(preview, show(preview.summary), diff) }),
    scopes,
    ...(scopes.includes("session") ? { grant: words } : {}),
    ...(scopes.includes("always") && rule !== undefined ? { rule: visible(describe(rule)) } : {}),
    ...(context.length === 0 ? {} : { context }),
    requestedAt,
    timeoutMillis: Number.isFinite(timeoutMillis) ? timeoutMillis : 0
  }
}
