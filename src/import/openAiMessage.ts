import type { FunctionCall } from "../conversation/Message.ts"
import type { DocumentMessage } from "../export/Document.ts"
import type { Draft } from "./Draft.ts"
import { refuse } from "./ImportProblem.ts"
import { type Data, isData } from "./JsonPiece.ts"

/** The text of a content that may be in parts. */
export const textOf = (content: unknown, where: string, draft: Draft): string => {
  if (content === undefined || content === null) return ""
  if (typeof content === "string") return content
  if (!Array.isArray(content)) return refuse(`${where} has a content that is neither text nor a list of parts`)
  return content
    .flatMap((part: unknown) => {
      if (typeof part === "string") return [part]
      const text = isData(part) ? (part["text"] ?? part["refusal"]) : undefined
      if (typeof text === "string") return [text]
      draft.warn(`parts that are no text are left out: ${isData(part) ? String(part["type"]).slice(0, 80) : "unknown"}`)
      return []
    })
    .join("\n")
}

const callOf = (one: unknown, index: number, where: string): FunctionCall => {
  const asked = isData(one) ? one["function"] : undefined
  if (!isData(one) || !isData(asked) || typeof asked["name"] !== "string") {
    return refuse(`${where} has a call that is no call of a function`)
  }
  const given = asked["arguments"]
  return {
    id: typeof one["id"] === "string" ? one["id"] : `call_${index + 1}`,
    type: "function",
    function: { name: asked["name"], arguments: typeof given === "string" ? given : JSON.stringify(given ?? {}) }
  }
}

const known = new Set([
  "role",
  "content",
  "name",
  "tool_calls",
  "tool_call_id",
  "id",
  "refusal",
  "annotations",
  "reasoning",
  "reasoning_content",
  "function_call",
  "createdAt",
  "created_at",
  "attachments"
])

/** A message as OpenAI's Chat Completions has it, from a file that somebody else wrote. */
export const openAiMessage = (data: Data, where: string, draft: Draft): ReadonlyArray<DocumentMessage> => {
  const { content, name, role, tool_call_id: answered, tool_calls: calls } = data
  for (const field of Object.keys(data)) {
    if (!known.has(field)) draft.warn(`unknown fields of messages are left out: ${field.slice(0, 80)}`)
  }
  const text = textOf(content, where, draft)
  const reasoning = data["reasoning_content"] ?? data["reasoning"]
  switch (role) {
    case "system":
    case "developer":
      return [{ role: "system", content: text }]
    case "user":
      return [{ role: "user", content: text }]
    case "assistant": {
      const old = data["function_call"]
      if (calls !== undefined && calls !== null && !Array.isArray(calls))
        return refuse(`${where} has calls that are no list`)
      const listed: ReadonlyArray<unknown> = calls ?? (isData(old) ? [{ id: old["name"], function: old }] : [])
      const asked = listed.map((one, index) => callOf(one, index, where))
      return [
        {
          role: "assistant",
          content: text === "" && asked.length > 0 ? null : text,
          ...(asked.length === 0 ? {} : { tool_calls: asked }),
          ...(typeof reasoning === "string" ? { reasoning } : {})
        }
      ]
    }
    case "tool":
    case "function": {
      const id = typeof answered === "string" ? answered : name
      return typeof id === "string"
        ? [{ role: "tool", tool_call_id: id, content: text }]
        : refuse(`${where} is a result that names no call`)
    }
    default:
      return refuse(`${where} has the role ${JSON.stringify(role)?.slice(0, 80) ?? "of nobody"}`)
  }
}
