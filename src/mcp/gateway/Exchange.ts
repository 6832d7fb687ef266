import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { macrotask } from "../../system/macrotask.ts"
import type { DynamicTool } from "../../tool/DynamicTool.ts"
import { Addressee } from "../Audience.ts"
import type { Talk } from "./Talk.ts"

/** Results of calls that go on by themselves and that nobody has come for yet. */
const mostEarly = 100

/** Leads what servers give, say and ask to the calls of clients, by their tasks. */
export class Exchange extends Context.Tag("tollgate/mcp/Exchange")<
  Exchange,
  {
    /** The tool with a way to whoever called it. */
    readonly joined: (tool: DynamicTool) => DynamicTool
    readonly open: (task: string, talk: Talk) => void
    readonly close: (task: string) => void
  }
>() {
  static readonly layer: Layer.Layer<Exchange> = Layer.sync(Exchange, () => {
    const talks = new Map<string, Talk>()
    const early = new Map<string, unknown>()
    const keep = (task: string, result: unknown) => {
      early.set(task, result)
      for (const one of early.keys()) {
        if (early.size <= mostEarly) break
        early.delete(one)
      }
    }
    return {
      joined: (tool) => ({
        ...tool,
        handler: (params, call) => {
          const { taskId: task } = call
          const running = tool.handler(params, call)
          if (task === undefined) return running
          const heard = talks.get(task)
          const kept = Effect.tap(running, (result) =>
            Effect.suspend(() => {
              const talk = talks.get(task)
              if (talk === undefined) return Effect.sync(() => keep(task, result))
              talk.give(result)
              // The answer leaves before its call is recorded.
              return macrotask
            })
          )
          return heard === undefined ? kept : Effect.provideService(kept, Addressee, heard)
        }
      }),
      open: (task, talk) => {
        talks.set(task, talk)
        if (early.has(task)) talk.give(early.get(task))
        early.delete(task)
      },
      close: (task) => void talks.delete(task)
    }
  })
}
