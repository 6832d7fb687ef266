// @effect-diagnostics asyncFunction:off - clients as their users write them
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { generateText, jsonSchema, type ModelMessage, streamText, type ToolSet } from "ai"
import OpenAI from "openai"

/** Where a server is, and by which token it is asked. */
export interface Door {
  readonly url: string
  readonly token: string
}

/** A call of approval, as its client got it. */
export interface Asked {
  readonly id: string
  readonly digest: string
  /** What the person is shown. */
  readonly shown: string
}

export interface Reply {
  readonly text: string
  readonly asked: Asked | undefined
}

export interface Decision {
  readonly decision: "approve" | "deny"
  readonly reason?: string
  /** Not in `responses`, whose standard items know no scope. */
  readonly scope?: "session"
}

/** A conversation by an unmodified client. */
export interface Talker {
  readonly say: (door: Door, prompt: string) => Promise<Reply>
  readonly decide: (door: Door, asked: Asked, decision: Decision) => Promise<Reply>
}

export const model = "writer"

const approver = "client_requestApproval"

export const openAi = ({ token, url }: Door): OpenAI =>
  new OpenAI({ apiKey: token, baseURL: `${url}/v1`, maxRetries: 0 })

const anything = { type: "object", properties: {} }

export const tools = [{ type: "function" as const, function: { name: approver, parameters: anything } }]

const digestOf = (text: string): string => (JSON.parse(text) as { readonly digest: string }).digest

const chat = (streams: boolean): Talker => {
  const messages: Array<OpenAI.ChatCompletionMessageParam> = []
  const send = async (door: Door): Promise<Reply> => {
    const request = { model, messages, tools }
    const { choices } = streams
      ? await openAi(door).chat.completions.stream(request).finalChatCompletion()
      : await openAi(door).chat.completions.create(request)
    const message = choices[0]!.message
    messages.push(message)
    const call = message.tool_calls?.[0]
    const asked =
      call?.type === "function"
        ? { id: call.id, digest: digestOf(call.function.arguments), shown: call.function.arguments }
        : undefined
    return { text: message.content ?? "", asked }
  }
  return {
    say: (door, content) => {
      messages.push({ role: "user", content })
      return send(door)
    },
    decide: (door, { digest, id }, decision) => {
      messages.push({ role: "tool", tool_call_id: id, content: JSON.stringify({ ...decision, digest }) })
      return send(door)
    }
  }
}

const responses = (streams: boolean): Talker => {
  let previous: string | undefined
  const send = async (door: Door, input: OpenAI.Responses.ResponseInput): Promise<Reply> => {
    const request = {
      model,
      input,
      tools: [{ type: "mcp" as const, server_label: "tollgate", server_url: door.url }],
      ...(previous === undefined ? {} : { previous_response_id: previous })
    }
    const response = streams
      ? await openAi(door).responses.stream(request).finalResponse()
      : await openAi(door).responses.create(request)
    previous = response.id
    const item = response.output.find(({ type }) => type === "mcp_approval_request")
    const asked =
      item?.type === "mcp_approval_request"
        ? { id: item.id, digest: "", shown: JSON.stringify({ name: item.name, arguments: item.arguments }) }
        : undefined
    return { text: response.output_text, asked }
  }
  return {
    say: (door, content) => send(door, [{ type: "message", role: "user", content }]),
    decide: (door, { id }, { decision, reason }) =>
      send(door, [
        {
          type: "mcp_approval_response",
          approval_request_id: id,
          approve: decision === "approve",
          ...(reason === undefined ? {} : { reason })
        }
      ])
  }
}

const aiTools = { [approver]: { inputSchema: jsonSchema({ type: "object" }) } } as unknown as ToolSet

const aiSdk = (streams: boolean): Talker => {
  const messages: Array<ModelMessage> = []
  const send = async ({ token, url }: Door): Promise<Reply> => {
    const provider = createOpenAICompatible({ name: "tollgate", apiKey: token, baseURL: `${url}/v1` })
    const request = {
      model: provider.chatModel(model),
      messages,
      maxRetries: 0,
      tools: aiTools
    }
    const result = streams ? streamText(request) : await generateText(request)
    const text = await result.text
    const [call] = await result.toolCalls
    messages.push(...(await result.response).messages)
    const asked =
      call === undefined
        ? undefined
        : {
            id: call.toolCallId,
            digest: (call.input as { readonly digest: string }).digest,
            shown: JSON.stringify(call.input)
          }
    return { text, asked }
  }
  return {
    say: (door, content) => {
      messages.push({ role: "user", content })
      return send(door)
    },
    decide: (door, { digest, id }, decision) => {
      const output = { type: "json" as const, value: { ...decision, digest } }
      messages.push({
        role: "tool",
        content: [{ type: "tool-result", toolCallId: id, toolName: approver, output }]
      })
      return send(door)
    }
  }
}

/** Every client, whole and streamed. */
export const talkers: Readonly<Record<string, () => Talker>> = {
  "openai chat.completions": () => chat(false),
  "openai chat.completions, streamed": () => chat(true),
  "openai responses": () => responses(false),
  "openai responses, streamed": () => responses(true),
  "AI SDK generateText": () => aiSdk(false),
  "AI SDK streamText": () => aiSdk(true)
}
