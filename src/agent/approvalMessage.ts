import type { StoredMessage } from "../conversation/Message.ts"
import { trusted, type ToolEvent } from "../tool/ToolEvent.ts"
import { MessageRecorded } from "./AgentEvent.ts"

/** The runtime's own tool by which a client is asked; a model can neither call nor see it (A2, A4). */
export const requestApproval = "client.requestApproval"

const record = (stored: StoredMessage) => new MessageRecorded({ message: stored }, trusted)

/** An approval in the protocol: the request is a tool call to the client, the answer its result (A1, A2). */
export const approvalMessage = (event: ToolEvent): MessageRecorded | undefined => {
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
                  risk: request.risk,
                  workerPath: request.workerPath,
                  digest: request.digest
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
