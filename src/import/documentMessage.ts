import * as Either from "effect/Either"
import type { ParseError } from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { AssistantMessage, SystemMessage, ToolMessage, UserMessage } from "../conversation/Message.ts"
import { DocumentMessage, MessageFields, ordered } from "../export/Document.ts"
import { mistakesOf } from "../redaction/Mistake.ts"
import type { Draft } from "./Draft.ts"
import { refuse } from "./ImportProblem.ts"
import { type Data, isData } from "./JsonPiece.ts"

/** The names that a message of each role can have. */
const roles = {
  system: { ...MessageFields.fields, ...SystemMessage.fields },
  user: { ...MessageFields.fields, ...UserMessage.fields },
  assistant: { ...MessageFields.fields, ...AssistantMessage.fields },
  tool: { ...MessageFields.fields, ...ToolMessage.fields }
}
const decode: (input: unknown) => Either.Either<DocumentMessage, ParseError> =
  Schema.decodeUnknownEither(DocumentMessage)

const isRole = (role: unknown): role is keyof typeof roles => typeof role === "string" && Object.hasOwn(roles, role)

/** Attachments would be files, and no import writes one. */
const attachments = (value: unknown, where: string, draft: Draft): void => {
  for (const one of Array.isArray(value) ? value : [value]) {
    const path: unknown = isData(one) ? (one["path"] ?? one["name"]) : undefined
    if (typeof path === "string" && /^(?:[/\\~]|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/i.test(path)) {
      refuse(`${where} has an attachment that leads elsewhere: ${JSON.stringify(path.slice(0, 80))}`)
    }
    draft.warn("attachments are left out")
  }
}

/** A message of a document; what the format does not have is left out with a warning. */
export const documentMessage = (data: Data, where: string, draft: Draft): DocumentMessage => {
  const { attachments: files, role, ...rest } = data
  if (!isRole(role)) return refuse(`${where} has the role ${JSON.stringify(role)?.slice(0, 80) ?? "of nobody"}`)
  if (files !== undefined) attachments(files, where, draft)
  for (const name of Object.keys(rest)) {
    if (!Object.hasOwn(roles[role], name)) draft.warn(`unknown fields of messages are left out: ${name.slice(0, 80)}`)
  }
  const input = role === "assistant" && !("content" in rest) && "tool_calls" in rest ? { ...rest, content: null } : rest
  const found = decode({ ...input, role })
  if (Either.isLeft(found)) {
    const [mistake] = mistakesOf(found.left)
    return refuse(
      `${where} is invalid${mistake === undefined ? "" : `: ${mistake.path.join(".")}: ${mistake.problem}`}`
    )
  }
  return ordered(found.right)
}
