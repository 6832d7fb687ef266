import canonicalize from "canonicalize"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import type { ToolCall } from "./ToolCall.ts"
import { ToolResult } from "./ToolResult.ts"

/** The model goes round in circles: the task ends. */
export class LoopDetected extends Schema.TaggedError<LoopDetected>()("LoopDetected", {
  tool: Schema.String,
  repeats: Schema.Number
}) {
  readonly stop = true
  override get message() {
    return (
      `${this.tool} was called ${this.repeats} times in a row with the same parameters and the same outcome; ` +
      `it was not run again and the task was stopped. Say what should be done differently.`
    )
  }
}

export interface LoopGuardOptions {
  /** Calls in a row with the same parameters and the same outcome, after which the next one is noticed. 3 where absent. */
  readonly repeats?: number
  /** Ask for the approval of that call, whatever the tool says of itself, or end the task. */
  readonly action: "ask" | "stop"
}

interface Trail {
  readonly asked: string
  readonly outcome: string
  readonly count: number
}

/** Workers whose last call is remembered. */
const maxWorkers = 1024

const brief = (text: string): string =>
  text.length <= 256 ? text : crypto.createHash("sha256").update(text).digest("base64")

const outcomeOf = (value: unknown): string =>
  value instanceof ToolResult ? `ok ${brief(value.text)}` : `failed ${brief(String(value))}`

/**
 * Notices a worker that makes the same call over and over though its outcome stays the same (as opencode and Gemini CLI
 * do). An outcome that changes is not a loop: polling goes on.
 */
export const loopGuard = ({
  action,
  repeats = 3
}: LoopGuardOptions): Effect.Effect<Middleware<ToolCall, { fails: LoopDetected }>> =>
  Effect.sync(() => {
    const trails = new Map<string, Trail>()
    const remember = (worker: string, asked: string, value: unknown) => {
      const outcome = outcomeOf(value)
      const last = trails.get(worker)
      const count = last !== undefined && last.asked === asked && last.outcome === outcome ? last.count + 1 : 1
      trails.delete(worker)
      trails.set(worker, { asked, outcome, count })
      const [oldest] = trails.keys()
      if (trails.size > maxWorkers && oldest !== undefined) trails.delete(oldest)
    }
    const guard: Middleware<ToolCall, { fails: LoopDetected }> = <Self extends ToolCall, A, E, R>(
      call: Self,
      next: (call: Self) => Effect.Effect<A, E, R>
    ) =>
      Effect.suspend((): Effect.Effect<A, E | LoopDetected, R> => {
        const worker = `${call.sessionId}/${call.workerPath.join("/")}`
        const asked = brief(`${call.name} ${canonicalize(call.rawParams) ?? ""}`)
        const last = trails.get(worker)
        const looping = last !== undefined && last.asked === asked && last.count >= repeats
        if (looping) trails.delete(worker)
        if (looping && action === "stop") return new LoopDetected({ tool: call.name, repeats })
        const asking = looping
          ? { ...call, tool: { ...call.tool, approval: "always" }, metadata: { ...call.metadata, repeats } }
          : call
        return Effect.matchEffect(next(asking), {
          onFailure: (error) => {
            remember(worker, asked, error)
            return Effect.fail(error)
          },
          onSuccess: (result) => {
            remember(worker, asked, result)
            return Effect.succeed(result)
          }
        })
      })
    return named("loop guard", `${action} after ${repeats} equal calls`, guard)
  })
