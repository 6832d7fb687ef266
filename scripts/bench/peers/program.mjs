// The run of scripts/bench/step.ts in other frameworks, everything in memory: `node program.mjs FRAMEWORK STEPS…` prints the
// microseconds of a step for each number of steps, as JSON.
import { performance } from "node:perf_hooks"

const said = "Looking."
const place = '{"place":"here"}'
const look = ({ place }) => `nothing at ${place}`

const frameworks = {
  "ai-sdk": async () => {
    const { stepCountIs, streamText, tool } = await import("ai")
    const { convertArrayToReadableStream, MockLanguageModelV4 } = await import("ai/test")
    const { z } = await import("zod")
    const usage = {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 }
    }
    return async (steps) => {
      let step = 0
      let calls = 0
      const model = new MockLanguageModelV4({
        doStream: async () => {
          step += 1
          const more = step < steps
          const reason = more ? "tool-calls" : "stop"
          const id = `text_${step}`
          return {
            stream: convertArrayToReadableStream([
              { type: "stream-start", warnings: [] },
              { type: "text-start", id },
              { type: "text-delta", id, delta: said },
              { type: "text-end", id },
              ...(more ? [{ type: "tool-call", toolCallId: `call_${step}`, toolName: "look", input: place }] : []),
              { type: "finish", finishReason: { unified: reason, raw: reason }, usage }
            ])
          }
        }
      })
      const execute = async (input) => {
        calls += 1
        return look(input)
      }
      const tools = {
        look: tool({ description: "Looks at a place", inputSchema: z.object({ place: z.string() }), execute })
      }
      const result = streamText({ model, tools, prompt: "Look around", stopWhen: stepCountIs(steps + 1) })
      await result.consumeStream({ onError: (error) => Promise.reject(error) })
      return calls
    }
  },
  langgraph: async () => {
    const { BaseChatModel } = await import("@langchain/core/language_models/chat_models")
    const { AIMessage } = await import("@langchain/core/messages")
    const { tool } = await import("@langchain/core/tools")
    const { createReactAgent } = await import("@langchain/langgraph/prebuilt")
    const { z } = await import("zod")
    return async (steps) => {
      let step = 0
      let calls = 0
      class Stepping extends BaseChatModel {
        _llmType() {
          return "bench"
        }
        bindTools() {
          return this
        }
        async _generate() {
          step += 1
          const call = { id: `call_${step}`, name: "look", args: JSON.parse(place), type: "tool_call" }
          const message = new AIMessage({ content: said, tool_calls: step < steps ? [call] : [] })
          return { generations: [{ text: said, message }] }
        }
      }
      const run = async (input) => {
        calls += 1
        return look(input)
      }
      const schema = z.object({ place: z.string() })
      const tools = [tool(run, { name: "look", description: "Looks at a place", schema })]
      const agent = createReactAgent({ llm: new Stepping({}), tools })
      const messages = [{ role: "user", content: "Look around" }]
      await agent.invoke({ messages }, { recursionLimit: steps * 2 + 10 })
      return calls
    }
  },
  "openai-agents": async () => {
    const { Agent, run, setTracingDisabled, tool, Usage } = await import("@openai/agents")
    const { z } = await import("zod")
    setTracingDisabled(true)
    return async (steps) => {
      let step = 0
      let calls = 0
      const text = {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: said }]
      }
      const model = {
        getResponse: async () => {
          step += 1
          const call = {
            type: "function_call",
            callId: `call_${step}`,
            name: "look",
            arguments: place,
            status: "completed"
          }
          return { usage: new Usage(), output: step < steps ? [text, call] : [text] }
        }
      }
      const execute = async (input) => {
        calls += 1
        return look(input)
      }
      const parameters = z.object({ place: z.string() })
      const tools = [tool({ name: "look", description: "Looks at a place", parameters, execute })]
      await run(new Agent({ name: "bench", model, tools }), "Look around", { maxTurns: steps + 1 })
      return calls
    }
  }
}

const [name, ...counts] = process.argv.slice(2)
const runsOf = (steps) => (steps > 400 ? 2 : 5)
const go = await frameworks[name]()
await go(200)
const figures = []
for (const steps of counts.map(Number)) {
  let least = Infinity
  for (let index = 0; index < runsOf(steps); index++) {
    const start = performance.now()
    const calls = await go(steps)
    least = Math.min(least, ((performance.now() - start) * 1000) / steps)
    if (calls !== steps - 1) throw new Error(`${name} made ${calls} calls in ${steps} steps`)
  }
  figures.push(least)
}
process.stdout.write(JSON.stringify(figures))
