import canonicalize from "canonicalize"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Message, StoredMessage } from "../conversation/Message.ts"
import { type ApprovalAnswer, answerOf, requestApproval } from "./approvalMessage.ts"

/** A transcript that a client has posted says something else than what is stored, which alone counts. */
export class HistoryMismatch extends Schema.TaggedError<HistoryMismatch>()("HistoryMismatch", {
  /** From 0. */
  index: Schema.Number
}) {
  override get message() {
    return `Message ${this.index} of the posted conversation differs from the stored one. Fetch the conversation and send only new messages.`
  }
}

/** What a posted transcript adds to the stored one. */
export interface Posted {
  /** Answers to requests that are open, by the id of the request. */
  readonly answers: ReadonlyArray<{ readonly approvalId: string; readonly answer: ApprovalAnswer }>
  /** New prompts, in order. */
  readonly prompts: ReadonlyArray<string>
  /** Messages that are neither and are ignored: a client does not speak for the assistant, the system or a tool. */
  readonly ignored: number
}

const same = (a: Message, b: Message): boolean => canonicalize(a) === canonicalize(b)

/**
 * Compares what a client has posted with what is stored: the stored messages come first and unchanged, then only
 * answers to the runtime's own requests and prompts count. Nothing in it is evidence of a decision: an answer still has to
 * find its request open, with its digest.
 */
export const posted = (
  stored: ReadonlyArray<StoredMessage>,
  transcript: ReadonlyArray<Message>
): Either.Either<Posted, HistoryMismatch> => {
  const common = Math.min(stored.length, transcript.length)
  for (let index = 0; index < common; index++) {
    const [known, claimed] = [stored[index], transcript[index]]
    if (known !== undefined && claimed !== undefined && !same(known.message, claimed)) {
      return Either.left(new HistoryMismatch({ index }))
    }
  }
  const open = new Set(
    stored.flatMap(({ id, message }) =>
      message.role === "assistant" && id.startsWith("request_")
        ? (message.tool_calls ?? []).filter((call) => call.function.name === requestApproval).map((call) => call.id)
        : []
    )
  )
  for (const { message } of stored) if (message.role === "tool") open.delete(message.tool_call_id)
  const fresh = transcript.slice(common)
  const answers = fresh.flatMap((message) => {
    if (message.role !== "tool" || !open.has(message.tool_call_id)) return []
    const answer = answerOf(message.content)
    return answer === undefined ? [] : [{ approvalId: message.tool_call_id, answer }]
  })
  const prompts = fresh.flatMap((message) => (message.role === "user" ? [message.content] : []))
  return Either.right({ answers, prompts, ignored: fresh.length - answers.length - prompts.length })
}
