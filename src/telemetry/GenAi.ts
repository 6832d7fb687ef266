import { known, parametersOf, type Served, serverOf } from "./Served.ts"

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
}

/** What is the same for all calls of a tool. */
export const executeTool = ({ description, tool }: ExecuteTool): GenAiSpan => ({
  name: `execute_tool ${tool}`,
  kind: "internal",
  attributes: {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": tool,
    "gen_ai.tool.description": description,
    "gen_ai.tool.type": "function"
  }
})

export interface ToolCalled {
  readonly callId: string
  readonly conversation: string
}

/** What one call of a tool adds. */
export const toolCalled = ({ callId, conversation }: ToolCalled): Readonly<Record<string, unknown>> => ({
  "gen_ai.tool.call.id": callId,
  "gen_ai.conversation.id": conversation
})

export interface Chat {
  readonly model: string
  /** Unset if unknown. */
  readonly served?: Served | undefined
  readonly conversation: string
}

/** One streamed request to a model, with all of its attempts. */
export const chat = ({ conversation, model, served }: Chat): GenAiSpan => ({
  name: `chat ${model}`,
  kind: "client",
  attributes: known({
    "gen_ai.operation.name": "chat",
    ...serverOf(served),
    "gen_ai.request.model": model,
    "gen_ai.request.stream": true,
    ...parametersOf(served ?? { provider: "" }),
    "gen_ai.conversation.id": conversation
  })
})

export interface ChatEnd {
  /** `inputTokens` includes the cached ones, `outputTokens` those of the reasoning. */
  readonly usage: TokenUsage
  readonly reason: string
  /** The model that answered, as its server names it. */
  readonly model?: string
  readonly responseId?: string
  /** Who answered, where that is not who was asked first. */
  readonly served?: Served
}

export interface TokenUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cachedInputTokens: number
  readonly reasoningTokens: number
}

/** What was counted; a server that counts nothing says nothing. */
const counted = (usage: TokenUsage) => {
  const some = usage.inputTokens + usage.outputTokens > 0
  return {
    "gen_ai.usage.input_tokens": some ? usage.inputTokens : undefined,
    "gen_ai.usage.output_tokens": some ? usage.outputTokens : undefined,
    "gen_ai.usage.cache_read.input_tokens": usage.cachedInputTokens || undefined,
    "gen_ai.usage.reasoning.output_tokens": usage.reasoningTokens || undefined
  }
}

/** What is known of a chat once it has ended. */
export const chatEnd = ({ model, reason, responseId, served, usage }: ChatEnd): Readonly<Record<string, unknown>> =>
  known({
    ...(served && serverOf(served)),
    "gen_ai.response.model": model,
    "gen_ai.response.id": responseId,
    "gen_ai.response.finish_reasons": [reason],
    ...counted(usage)
  })

export interface InvokeAgent extends Chat {
  /** From the root worker to the one that is invoked. */
  readonly workerPath: ReadonlyArray<string>
}

export const invokeAgent = ({ conversation, model, served, workerPath }: InvokeAgent): GenAiSpan => {
  const agent = workerPath.at(-1) ?? "root"
  return {
    name: `invoke_agent ${agent}`,
    kind: "internal",
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": serverOf(served)["gen_ai.provider.name"],
      "gen_ai.request.model": model,
      "gen_ai.agent.name": agent,
      "gen_ai.conversation.id": conversation,
      "tollgate.worker.path": workerPath.join("/")
    }
  }
}

/** What an agent and those below it have used. */
export const agentEnd = (usage: TokenUsage): Readonly<Record<string, unknown>> => known(counted(usage))

/** Content, which leaves the process only where the user has opted in. */
export const toolContent = {
  arguments: (given: unknown): Readonly<Record<string, unknown>> => ({ "gen_ai.tool.call.arguments": given }),
  result: (text: string): Readonly<Record<string, unknown>> => ({ "gen_ai.tool.call.result": text })
}
