/**
 * Names and attributes of spans by the OpenTelemetry semantic conventions for generative AI
 * (https://opentelemetry.io/docs/specs/semconv/gen-ai/).
 */
export interface GenAiSpan {
  readonly name: string
  readonly kind: "internal" | "client"
  readonly attributes: Readonly<Record<string, unknown>>
}

export interface ExecuteTool {
  readonly tool: string
  readonly description: string
  readonly callId: string
  readonly conversation: string
}

export const executeTool = ({ callId, conversation, description, tool }: ExecuteTool): GenAiSpan => ({
  name: `execute_tool ${tool}`,
  kind: "internal",
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    "gen_ai.tool.description": description,
    "gen_ai.tool.type": "function",
    "gen_ai.tool.call.id": callId,
    "gen_ai.conversation.id": conversation
  }
})

export interface Chat {
  /** E.g. `openai`, `anthropic`. */
  readonly provider: string
  readonly model: string
  readonly conversation: string
}

export const chat = ({ conversation, model, provider }: Chat): GenAiSpan => ({
  name: `chat ${model}`,
  kind: "client",
  attributes: {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    "gen_ai.request.model": model,
    "gen_ai.conversation.id": conversation
  }
})

/** What is known of a chat once it has ended. */
export const chatEnd = (end: {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly finish: string
}): Readonly<Record<string, unknown>> => ({
  "gen_ai.usage.input_tokens": end.inputTokens,
  "gen_ai.usage.output_tokens": end.outputTokens,
  "gen_ai.response.finish_reasons": [end.finish]
})

export interface InvokeAgent {
  /** From the root worker to the one that is invoked. */
  readonly workerPath: ReadonlyArray<string>
  readonly conversation: string
}

export const invokeAgent = ({ conversation, workerPath }: InvokeAgent): GenAiSpan => {
  const agent = workerPath.at(-1) ?? "root"
  return {
    name: `invoke_agent ${agent}`,
    kind: "internal",
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": agent,
      "gen_ai.conversation.id": conversation,
      "tollgate.worker.path": workerPath.join("/")
    }
  }
}

/** Content, which leaves the process only where the user has opted in. */
export const toolContent = {
  arguments: (text: string): Readonly<Record<string, unknown>> => ({ "gen_ai.tool.call.arguments": text }),
  result: (text: string): Readonly<Record<string, unknown>> => ({ "gen_ai.tool.call.result": text })
}
