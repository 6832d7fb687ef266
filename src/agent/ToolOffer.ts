import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ClientTools } from "../tool/ClientTools.ts"
import { Ids } from "../tool/Ids.ts"
import { cutWords } from "../text/excerpt.ts"
import type { AnyTool, ToolCall } from "../tool/ToolCall.ts"
import { type ToolShown, toolShown } from "../tool/ToolShown.ts"
import { callTool } from "./callTool.ts"
import type { Tools } from "./Tools.ts"
import type { WorkerSink } from "./WorkerSink.ts"

/**
 * The runtime's own call by which a frontend is offered the manual tools of a sub-worker that has returned; a model can neither
 * call nor see it. A frontend takes part by declaring the name.
 */
export const offerTools = "client.offerTools"

/** The tools that a person may run before the worker above goes on. */
export interface ToolOffer {
  /** From the root worker to the one that has returned. */
  readonly worker: ReadonlyArray<string>
  /** The beginning of its answer. */
  readonly text: string
  readonly tools: ReadonlyArray<ToolShown>
}

/** What a person chooses: a tool with its parameters, or none to go on. */
export const ToolChoice = Schema.Struct({
  tool: Schema.optionalWith(Schema.String, { exact: true }),
  parameters: Schema.optionalWith(Schema.Unknown, { exact: true })
})
export type ToolChoice = typeof ToolChoice.Type

const decode = Schema.decodeUnknown(ToolChoice)

/** Characters of the worker's answer. */
const maxText = 1000

/** Tools that a person may run after one worker. */
const maxRuns = 50

/** The worker that has returned, and how its calls are made. */
export interface Returned {
  /** The call of the worker above, which waits meanwhile. */
  readonly call: ToolCall
  readonly sessionId: string
  readonly path: ReadonlyArray<string>
  readonly iteration: number
  readonly text: string
  readonly tools: Tools["Type"]
  readonly sink: WorkerSink
}

/** Those of the tools that a worker was given by name that only a person may run. */
export const owned = (names: ReadonlyArray<string>, tools: ReadonlyMap<string, AnyTool>): ReadonlyArray<AnyTool> =>
  names.flatMap((name) => {
    const tool = tools.get(name)
    return tool?.mode === "manual" && tool.location === "server" ? [tool] : []
  })

/**
 * Lets the person run the manual tools of a worker that has returned, behind the same gate, until they go on; gives a line for each
 * result, for the worker above. Where no frontend takes part, or one does not answer in its time, nothing is run.
 */
export const offered = (
  { call, iteration, path, sessionId, sink, text, tools }: Returned,
  manual: ReadonlyArray<AnyTool>
): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const client = yield* ClientTools
    const results: Array<string> = []
    if (manual.length === 0 || !(yield* client.declared(sessionId)).has(offerTools)) return results
    const offer: ToolOffer = { worker: path, text: cutWords(text, maxText), tools: manual.map(toolShown) }
    while (results.length < maxRuns) {
      const answer = client.call({ ...call, name: offerTools, rawParams: offer })
      const { parameters, tool } = yield* Effect.orElseSucceed(Effect.flatMap(answer, decode), (): ToolChoice => ({}))
      if (tool === undefined) return results
      if (!manual.some(({ name }) => name === tool)) {
        results.push(`[the user asked for ${tool}, which this worker does not have]`)
        continue
      }
      const made = {
        id: yield* (yield* Ids).next("call"),
        type: "function" as const,
        function: { name: tool, arguments: JSON.stringify(parameters ?? {}) }
      }
      const place = { sessionId, workerPath: path, iteration, by: "user" as const }
      const { content } = yield* callTool(tools, sink, place, made)
      results.push(`[the user ran ${tool}: ${content}]`)
    }
    return results
  })
