import type { ModelView } from "../conversation/ModelView.ts"
import type { ContextMessage } from "../tool/ApprovalRequest.ts"

const count = 10

/** The context of a call for the person who decides: the last messages that the model has seen. */
export const lastMessages = (view: ModelView): ReadonlyArray<ContextMessage> =>
  view.all.slice(-count).map(({ message }) => {
    const calls = message.role === "assistant" ? (message.tool_calls ?? []) : []
    const asked = calls.map(({ function: call }) => `${call.name} ${call.arguments}`)
    return { role: message.role, content: [message.content ?? "", ...asked].filter((text) => text !== "").join("\n") }
  })
