import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { DynamicTool } from "../../tool/DynamicTool.ts"
import type { CallResult } from "../Connection.ts"

/** Results that nobody has come for. */
const mostKept = 100

/** What servers gave, as it came, until who asked for it takes it; by task. */
export class Results extends Context.Tag("tollgate/mcp/Results")<
  Results,
  {
    /** The tool with its results kept here. */
    readonly keeping: (tool: DynamicTool) => DynamicTool
    readonly take: (task: string) => CallResult | undefined
  }
>() {
  static readonly layer: Layer.Layer<Results> = Layer.sync(Results, () => {
    const kept = new Map<string, CallResult>()
    const keep = (task: string, result: CallResult) => {
      kept.set(task, result)
      for (const one of kept.keys()) {
        if (kept.size <= mostKept) break
        kept.delete(one)
      }
    }
    return {
      keeping: (tool) => ({
        ...tool,
        handler: (params, call) =>
          Effect.tap(tool.handler(params, call), (result) =>
            Effect.sync(() => (call.taskId === undefined ? undefined : keep(call.taskId, result as CallResult)))
          )
      }),
      take: (task) => {
        const found = kept.get(task)
        kept.delete(task)
        return found
      }
    }
  })
}
