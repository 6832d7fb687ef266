import { assert, describe, it } from "@effect/vitest"
import * as GenAi from "../../src/telemetry/GenAi.ts"

const chatOf = (provider: string, url?: string, options?: object) =>
  GenAi.chat({
    model: "m",
    conversation: "s",
    served: { provider, ...(url !== undefined && { url }), options: { ...options } }
  }).attributes

describe("GenAi", () => {
  it("tells of a chat all that the conventions require (T11)", () => {
    assert.deepStrictEqual(
      GenAi.chat({
        model: "gpt",
        conversation: "s",
        served: {
          provider: "openai",
          url: "https://proxy.example:8443/v1?key=hidden",
          options: { max_output_tokens: 9, temperature: 0.5, n: 1, stop: "end", metadata: { user: "ann" } }
        }
      }),
      {
        name: "chat gpt",
        kind: "client",
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.provider.name": "openai",
          "gen_ai.request.model": "gpt",
          "gen_ai.request.stream": true,
          "gen_ai.request.max_tokens": 9,
          "gen_ai.request.temperature": 0.5,
          "gen_ai.request.stop_sequences": ["end"],
          "gen_ai.conversation.id": "s",
          "server.address": "proxy.example",
          "server.port": 8443
        }
      }
    )
    assert.deepStrictEqual(
      GenAi.chatEnd({
        reason: "stop",
        model: "gpt-1",
        responseId: "r",
        usage: { inputTokens: 9, outputTokens: 8, cachedInputTokens: 7, reasoningTokens: 6 }
      }),
      {
        "gen_ai.response.model": "gpt-1",
        "gen_ai.response.id": "r",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 9,
        "gen_ai.usage.output_tokens": 8,
        "gen_ai.usage.cache_read.input_tokens": 7,
        "gen_ai.usage.reasoning.output_tokens": 6
      }
    )
  })

  it("says nothing of tokens that nobody counted (T11)", () => {
    const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 }
    assert.deepStrictEqual(GenAi.chatEnd({ reason: "stop", usage }), { "gen_ai.response.finish_reasons": ["stop"] })
  })

  it("names the provider by its well-known value, and a server that nobody knows by its protocol (T11)", () => {
    const provider = (...served: Parameters<typeof chatOf>) => chatOf(...served)["gen_ai.provider.name"]
    const compatible = (url: string) => provider("chat-completions", url)
    assert.strictEqual(provider("anthropic", "https://gateway.example"), "anthropic")
    assert.strictEqual(provider("scripted"), "scripted")
    assert.strictEqual(compatible("https://api.deepseek.com"), "deepseek")
    assert.strictEqual(compatible("https://ann.openai.azure.com/openai/v1"), "azure.ai.openai")
    assert.strictEqual(compatible("https://europe-west1-aiplatform.googleapis.com/v1"), "gcp.vertex_ai")
    assert.strictEqual(compatible("https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1"), "aws.bedrock")
    assert.strictEqual(compatible("http://localhost:11434/v1"), "openai")
    assert.strictEqual(compatible("https://notapi.x.ai.example/v1"), "openai")
    assert.strictEqual(GenAi.chat({ model: "m", conversation: "s" }).attributes["gen_ai.provider.name"], "_OTHER")
  })

  it("names workers by the last of their path (T11, U3)", () => {
    const invoke = (...workerPath: ReadonlyArray<string>) =>
      GenAi.invokeAgent({ workerPath, model: "m", conversation: "s", served: { provider: "openai" } })
    assert.deepStrictEqual(invoke("root", "search"), {
      name: "invoke_agent search",
      kind: "internal",
      attributes: {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.agent.name": "search",
        "gen_ai.conversation.id": "s",
        "tollgate.worker.path": "root/search"
      }
    })
    assert.strictEqual(invoke().name, "invoke_agent root")
  })
})
