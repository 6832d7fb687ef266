import type * as Response from "@effect/ai/Response"
import type { AiReplay, ReplayPart } from "./AiReplay.ts"
import { parseArguments } from "./Arguments.ts"
import type { FinishReason, FunctionCalled, ModelPart, Usage } from "./ModelPart.ts"
import { noUsage } from "./ModelPart.ts"
import * as Either from "effect/Either"

type Segment =
  | { type: "reasoning"; text: string; options: ReplayPart["options"] }
  | { type: "text"; length: number; options: ReplayPart["options"] }
  | { type: "call"; id: string; options: ReplayPart["options"] }

const finishReasons: Readonly<Record<Response.FinishReason, FinishReason>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool_calls",
  "content-filter": "content_filter",
  error: "other",
  pause: "other",
  other: "other",
  unknown: "other"
}

const optionsOf = (metadata: Response.ProviderMetadata) => metadata as ReplayPart["options"]

const tokens = (value: number | undefined): number => Math.max(0, value ?? 0)

/** The usage as OpenAI counts, whose input includes the cached tokens. */
export const usageOf = (finish: Response.FinishPart): Usage => ({
  inputTokens: tokens(finish.usage.inputTokens),
  outputTokens: tokens(finish.usage.outputTokens),
  cachedInputTokens: tokens(finish.usage.cachedInputTokens),
  reasoningTokens: tokens(finish.usage.reasoningTokens)
})

/** Folds the parts of `@effect/ai` into ours and keeps what its provider must get back. */
export interface AiAnswer {
  readonly accept: (part: Response.AnyPart) => ModelPart | undefined
  readonly size: () => number
  /** Whether a call was begun that cannot be decoded: its arguments are no object, or the request has no such function. */
  readonly broken: () => boolean
  /**
   * The last parts, or undefined if the stream ended without a finish that a broken call explains (`recovered`). Calls
   * left open are given if they have arguments; one without any was cut off.
   */
  readonly end: (recovered: boolean) => ReadonlyArray<ModelPart> | undefined
}

export const make = (
  origin: Pick<AiReplay, "backend" | "model">,
  known: ReadonlySet<string>,
  usage: (finish: Response.FinishPart) => Usage
): AiAnswer => {
  const segments: Array<Segment> = []
  const open = new Map<string, Segment>()
  const begun = new Map<string, { readonly name: string; text: string }>()
  let called = 0
  let size = 0
  let model: string | undefined
  let responseId: string | undefined
  let finish: Response.FinishPart | undefined

  const begin = (key: string, segment: Segment) => {
    open.set(key, segment)
    segments.push(segment)
  }
  const annotate = (key: string, metadata: Response.ProviderMetadata): Segment | undefined => {
    const segment = open.get(key)
    if (segment === undefined) return undefined
    for (const [provider, fields] of Object.entries(metadata)) {
      segment.options = { ...segment.options, [provider]: { ...segment.options[provider], ...fields } }
    }
    return segment
  }
  const give = (id: string, name: string, text: string, options: ReplayPart["options"]): FunctionCalled => {
    begun.delete(id)
    called++
    segments.push({ type: "call", id, options })
    return { _tag: "FunctionCalled", id, name, arguments: text }
  }

  const accept = (part: Response.AnyPart): ModelPart | undefined => {
    switch (part.type) {
      case "response-metadata":
        model = part.modelId._tag === "Some" ? part.modelId.value : model
        responseId = part.id._tag === "Some" ? part.id.value : responseId
        return undefined
      case "text-start":
        begin(`text ${part.id}`, { type: "text", length: 0, options: optionsOf(part.metadata) })
        return undefined
      case "text-delta": {
        if (!open.has(`text ${part.id}`)) begin(`text ${part.id}`, { type: "text", length: 0, options: {} })
        const segment = annotate(`text ${part.id}`, part.metadata)
        if (segment?.type === "text") segment.length += part.delta.length
        size += part.delta.length
        return part.delta === "" ? undefined : { _tag: "TextDelta", text: part.delta }
      }
      case "text-end":
        annotate(`text ${part.id}`, part.metadata)
        return undefined
      case "reasoning-start":
        begin(`reasoning ${part.id}`, { type: "reasoning", text: "", options: optionsOf(part.metadata) })
        return undefined
      case "reasoning-delta": {
        if (!open.has(`reasoning ${part.id}`))
          begin(`reasoning ${part.id}`, { type: "reasoning", text: "", options: {} })
        const segment = annotate(`reasoning ${part.id}`, part.metadata)
        if (segment?.type === "reasoning") segment.text += part.delta
        size += part.delta.length
        return part.delta === "" ? undefined : { _tag: "ReasoningDelta", text: part.delta }
      }
      case "reasoning-end":
        annotate(`reasoning ${part.id}`, part.metadata)
        return undefined
      case "tool-params-start":
        if (!part.providerExecuted) begun.set(part.id, { name: part.name, text: "" })
        return undefined
      case "tool-params-delta": {
        const call = begun.get(part.id)
        size += part.delta.length
        if (call === undefined || part.delta === "") return undefined
        call.text += part.delta
        return { _tag: "ArgumentsDelta", id: part.id, name: call.name, text: part.delta }
      }
      case "tool-call": {
        if (part.providerExecuted) return undefined
        const text = begun.get(part.id)?.text ?? ""
        return give(
          part.id,
          part.name,
          text.trim() === "" ? JSON.stringify(part.params) : text,
          optionsOf(part.metadata)
        )
      }
      case "finish":
        finish = part
        return undefined
      default:
        return undefined
    }
  }

  const broken = () =>
    [...begun.values()].some((call) => !known.has(call.name) || Either.isLeft(parseArguments(call.text)))

  return {
    accept,
    size: () => size,
    broken,
    end: (recovered) => {
      if (finish === undefined && !recovered) return undefined
      const left = [...begun].flatMap(([id, { name, text }]) =>
        text.trim() === "" && known.has(name) ? [] : [give(id, name, text.trim() === "" ? "{}" : text, {})]
      )
      const reason = finish === undefined ? "other" : finishReasons[finish.reason]
      const parts = segments.filter((part) => part.type !== "reasoning" || Object.keys(part.options).length > 0)
      const replay = parts.some((part) => Object.keys(part.options).length > 0)
      return [
        ...left,
        {
          _tag: "Finished",
          reason: called > 0 && reason !== "length" && reason !== "content_filter" ? "tool_calls" : reason,
          usage: finish === undefined ? noUsage : usage(finish),
          ...(model === undefined ? {} : { model }),
          ...(responseId === undefined ? {} : { responseId }),
          ...(replay ? { provider: { ...origin, parts } satisfies AiReplay } : {})
        }
      ]
    }
  }
}
