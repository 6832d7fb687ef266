import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { makeVisible, visibleJson } from "../../text/visible.ts"
import type { ApprovalRequest } from "../../tool/ApprovalRequest.ts"
import type { Answer } from "./Gateway.ts"

/** When a client may be asked to show a request to its user. */
export const Elicitation = Schema.Literal("never", "ordinary", "always")
export type Elicitation = typeof Elicitation.Type

/** Characters of a question; a longer one could not be read whole. */
const longest = 6000

/** A client's session is not the gateway's: whoever comes with the same token is the same client. */
const longer = "session: equal calls of this client are not asked about again until the gateway stops."

const schemaOf = (scopes: ReadonlyArray<string>) => ({
  type: "object" as const,
  properties: {
    decision: {
      type: "string" as const,
      title: "Allow the call?",
      ...(scopes.includes("session") ? { description: longer } : {}),
      enum: ["once", ...(scopes.includes("session") ? ["session"] : []), "deny"]
    }
  },
  required: ["decision"]
})

/** A request as a client shows it: all that runs, with nothing invisible. Nothing where it could not be shown whole. */
export const questionOf = (request: ApprovalRequest, when: Elicitation) => {
  const { arguments: given, because, digest, id, masked, message, preview, risk, scopes, tool } = request
  if (when === "never" || (when === "ordinary" && risk === "high") || masked !== undefined) return undefined
  const lines = [
    `Tollgate: allow ${tool}? (risk ${risk})`,
    makeVisible(message),
    ...(because === undefined ? [] : [makeVisible(because)]),
    visibleJson(JSON.stringify(given, null, 2) ?? "null"),
    ...(preview === undefined ? [] : [makeVisible(JSON.stringify(preview, null, 2))]),
    `${id} · ${digest.slice(0, 12)}`
  ]
  const text = lines.join("\n")
  return text.length > longest ? undefined : { message: text, requestedSchema: schemaOf(scopes) }
}

const decode = Schema.decodeUnknownOption(
  Schema.Struct({
    action: Schema.Literal("accept"),
    content: Schema.Struct({ decision: Schema.Literal("once", "session", "deny") })
  })
)

/** What the user of a client has answered. Closing the question is no answer; declining it is a no. */
export const answerOf = (reply: unknown): Answer | undefined => {
  const accepted = decode(reply)
  if (Option.isSome(accepted)) {
    const { decision } = accepted.value.content
    return decision === "deny" ? { decision } : { decision: "approve", scope: decision }
  }
  const declined = typeof reply === "object" && reply !== null && "action" in reply && reply.action === "decline"
  return declined ? { decision: "deny" } : undefined
}

/** What a client is told of a call that still waits. */
export const pendingText = ({ digest, id, masked, sessionId, tool }: ApprovalRequest): string => {
  const where =
    masked === undefined
      ? ""
      : `Its arguments have secrets, which only a terminal shows: tollgate --session ${sessionId}, where t takes it over. A server gets its secrets better by its environment. `
  return (
    `approval ${id} is pending: ${tool} waits for the user of Tollgate (digest ${digest.slice(0, 12)}). Nothing has run. ${where}` +
    "Call it again with the same arguments to get its result once it is decided; it runs at most once."
  )
}
