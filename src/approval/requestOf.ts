import type { RedactorShape } from "../redaction/Redactor.ts"
import { makeVisible } from "../redaction/visible.ts"
import { type ApprovalRequest, type ContextMessage, type Scope } from "../tool/ApprovalRequest.ts"
import type { Preview } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import type { Grantable } from "./Grantable.ts"
import { cutText, shownArguments } from "./rendering/Arguments.ts"
import { repeatedText, showsAll } from "./rendering/Prompt.ts"
import { riskOf } from "./risk.ts"
import { describe } from "./Rule.ts"

/** Messages of the conversation that go along, and characters of each. */
const maxContext = 10
const maxContextText = 600
const maxDiff = 64 * 1024
const maxMessage = 1000

/** Where the agent puts the last messages of the conversation for a call: `() => ReadonlyArray<ContextMessage>`. */
export const contextKey = "tollgate/approval/context"

const contextOf = (redactor: RedactorShape, call: ToolCall): ReadonlyArray<ContextMessage> => {
  const last = call.metadata[contextKey]
  if (typeof last !== "function") return []
  const messages: ReadonlyArray<ContextMessage> = last()
  return messages.slice(-maxContext).map(({ content, role }) => ({
    role,
    content: cutText(makeVisible(redactor.text(content.slice(0, 8 * maxContextText))), maxContextText)
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

/** What is asked, as everybody else may see it: only the digest is of the whole. */
export const requestOf = (parts: RequestParts): ApprovalRequest => {
  const { call, grantable, preview, redactor } = parts
  const show = (text: string, max: number) => cutText(makeVisible(redactor.text(text)), max)
  const { cut, value } = shownArguments(redactor, call.rawParams)
  const whole = !cut && (preview?.diff?.length ?? 0) <= maxDiff && showsAll(value, preview?.diff)
  const { repeats } = call
  const repeatable = whole && preview?.once !== true && grantable.basis !== undefined && repeats === undefined
  const again = repeats === undefined ? "" : `This is ${repeatedText(repeats)}. `
  const { rule } = grantable
  const scopes: ReadonlyArray<Scope> = !repeatable
    ? ["once"]
    : parts.always && rule !== undefined
      ? ["once", "task", "session", "always"]
      : ["once", "task", "session"]
  const context = contextOf(redactor, call)
  const words = makeVisible(redactor.text(grantable.subject.words))
  return {
    id: parts.id,
    callId: call.callId,
    sessionId: call.sessionId,
    tool: call.name,
    workerPath: call.workerPath,
    ...riskOf(call.tool, grantable.subject, (text) => show(text, maxMessage)),
    digest: parts.digest,
    arguments: value,
    message: show(`${again}${preview?.summary ?? call.tool.description}`, maxMessage),
    ...(repeats === undefined ? {} : { repeats }),
    ...(preview === undefined
      ? {}
      : {
          preview: {
            ...preview,
            summary: show(preview.summary, maxMessage),
            ...(preview.diff === undefined ? {} : { diff: show(preview.diff, maxDiff) })
          }
        }),
    scopes,
    ...(scopes.includes("session") ? { grant: words } : {}),
    ...(scopes.includes("always") && rule !== undefined ? { rule: makeVisible(redactor.text(describe(rule))) } : {}),
    ...(context.length === 0 ? {} : { context }),
    requestedAt: parts.requestedAt,
    timeoutMillis: parts.timeoutMillis
  }
}
