import * as Prompt from "@effect/ai/Prompt"
import * as Either from "effect/Either"
import type { Image } from "../conversation/Image.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import { assistantParts, type AiReplay } from "./AiReplay.ts"
import { sendableName } from "./FunctionName.ts"
import { parseJson } from "../text/Json.ts"

const text = (content: string, images: ReadonlyArray<Image> = []) =>
  Prompt.userMessage({
    content: [
      Prompt.makePart("text", { text: content }),
      ...images.map(({ data, mediaType, name }) =>
        Prompt.makePart("file", { mediaType, fileName: name, data: Buffer.from(data, "base64") })
      )
    ]
  })

const parse = (content: string): unknown => Either.getOrElse(parseJson(content), () => content)

const isFailure = (result: unknown): boolean => typeof result === "object" && result !== null && "error" in result

/**
 * A conversation as `@effect/ai` wants it. A system message after the first other one becomes the user's, in `<system>`
 * tags: not every provider keeps more than one group of them.
 */
export const toPrompt = (
  messages: ReadonlyArray<StoredMessage>,
  origin: Pick<AiReplay, "backend" | "model">
): Prompt.Prompt => {
  const names = new Map<string, string>()
  const prompt: Array<Prompt.Message> = []
  for (const stored of messages) {
    const message = stored.message
    switch (message.role) {
      case "system": {
        const leading = prompt.every(({ role }) => role === "system")
        prompt.push(
          leading ? Prompt.systemMessage({ content: message.content }) : text(`<system>\n${message.content}\n</system>`)
        )
        break
      }
      case "user":
        prompt.push(text(message.content, message.images))
        break
      case "assistant": {
        for (const call of message.tool_calls ?? []) names.set(call.id, sendableName(call.function.name))
        const content = [...assistantParts(stored, message, origin)]
        if (content.length > 0) prompt.push(Prompt.assistantMessage({ content }))
        break
      }
      case "tool": {
        const result = parse(message.content)
        const id = message.tool_call_id
        const name = names.get(id) ?? "unknown"
        const part = { id, name, result, isFailure: isFailure(result), providerExecuted: false }
        prompt.push(Prompt.toolMessage({ content: [Prompt.toolResultPart(part)] }))
      }
    }
  }
  return Prompt.fromMessages(prompt)
}
