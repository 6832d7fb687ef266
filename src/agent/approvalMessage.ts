import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { StoredMessage } from "../conversation/Message.ts"
import { Scope } from "../tool/ApprovalRequest.ts"
import type { CallEvent } from "../gate/CallEvent.ts"
import { parseAnswer } from "../text/Json.ts"
import { ApprovalResolved, trusted } from "../tool/ToolEvent.ts"
import { MessageRecorded } from "./AgentEvent.ts"

/** The runtime's own tool by which a client is asked; a model can neither call nor see it. */
export const requestApproval = "client.requestApproval"

const record = (stored: StoredMessage) => new MessageRecorded({ message: stored }, trusted)

/** An approval in the protocol: the request is a tool call to the client, the answer its result. */
export const approvalMessage = (event: CallEvent): MessageRecorded | undefined => {
  switch (event._tag) {
    case "ApprovalRequested": {
      const { request } = event
      return record({
        id: `request_${request.id}`,
        message: {
          role: "assistant",
          content: null,
          tool_calls: [
            {
              id: request.id,
              type: "function",
              function: {
                name: requestApproval,
                arguments: JSON.stringify({
                  originalToolCall: { id: request.callId, name: request.tool, arguments: request.arguments },
                  message: request.message,
                  options: request.scopes,
                  grant: request.grant,
                  rule: request.rule,
                  risk: request.risk,
                  workerPath: request.workerPath,
                  diff: request.preview?.diff,
                  digest: request.digest,
                  context: request.context
                })
              }
            }
          ]
        }
      })
    }
    case "ApprovalResolved": {
      const { approvalId, by, outcome, reason, scope } = event
      return record({
        id: `answer_${approvalId}`,
        message: {
          role: "tool",
          tool_call_id: approvalId,
          content: JSON.stringify({ decision: outcome === "granted" ? "approve" : "deny", scope, outcome, reason, by })
        }
      })
    }
    default:
      return undefined
  }
}

/** The end of a withdrawn request, as two events that belong together. */
export const withdrawal = (
  of: { readonly callId: string; readonly tool: string; readonly approvalId: string },
  by: "interruption" | "restart",
  reason?: string
): ReadonlyArray<ApprovalResolved | MessageRecorded> => {
  const why = reason === undefined ? {} : { reason }
  const event = new ApprovalResolved({ ...of, outcome: "withdrawn", by, waitedMillis: 0, ...why }, trusted)
  const message = approvalMessage(event)
  return message === undefined ? [event] : [event, message]
}

/** What a client answers to the call `client.requestApproval`: its digest, and nothing that changes the call. */
export const ApprovalAnswer = Schema.Struct({
  digest: Schema.String,
  decision: Schema.Literal("approve", "deny"),
  scope: Schema.optionalWith(Scope, { exact: true }),
  reason: Schema.optionalWith(Schema.String, { exact: true }),
  stop: Schema.optionalWith(Schema.Boolean, { exact: true })
})
export type ApprovalAnswer = typeof ApprovalAnswer.Type

const decode = Schema.decodeUnknownEither(ApprovalAnswer, { onExcessProperty: "error" })

/** The answer in a result that a client has posted; nothing where it is none, e.g. because it brings arguments of its own. */
export const answerOf = (content: string): ApprovalAnswer | undefined =>
  Either.getOrUndefined(Either.flatMap(parseAnswer(content), decode))
