import canonicalize from "canonicalize"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as crypto from "node:crypto"
import type { Middleware } from "../middleware/Middleware.ts"
import { named } from "../middleware/Step.ts"
import { wholeNumber } from "../system/wholeNumber.ts"
import { heard, type ToolCall } from "./ToolCall.ts"
import type { ToolEvent } from "./ToolEvent.ts"
import { ToolResult } from "./ToolResult.ts"

/** The model goes round in circles: the task ends. */
export class LoopDetected extends Schema.TaggedError<LoopDetected>()("LoopDetected", {
  tool: Schema.String,
  repeats: Schema.Number,
  /** What else was in the way of the call. */
  because: Schema.optionalWith(Schema.String, { exact: true })
}) {
  readonly stop = true
  override get message() {
    const why = this.because === undefined ? "" : ` (${this.because})`
    return (
      `${this.tool} was called ${this.repeats} times in a row with the same parameters and the same result; ` +
      `it was not run again${why} and the task was stopped. Tell it what to do differently.`
    )
  }
}

export interface LoopGuardOptions {
  /** Identical calls in a row before the loop guard acts. Default: 3. */
  readonly repeats?: number
  /**
   * `ask`: a person decides on that call and again after as many more; without a person the task ends. `stop`: the task
   * ends at once. A mode that allows everything decides for a person at most twice.
   */
  readonly action: "ask" | "stop"
}

/** As many calls as are noticed where the options do not say. */
const defaultRepeats = 3

/** How often in a row the guard may act without a person being asked. */
const maxUnasked = 3

interface Trail {
  readonly asked: string
  readonly outcome: string
  readonly count: number
  /** A person let the last call pass that was noticed. */
  readonly vouched: boolean
}

/** Workers whose last call is remembered. */
const maxWorkers = 1024
const maxBecause = 500

const brief = (text: string): string =>
  text.length <= 256 ? text : crypto.createHash("sha256").update(text).digest("base64")

const canonical = Option.liftThrowable((value: unknown) => canonicalize(value) ?? "")

const outcomeOf = (value: unknown): string =>
  value instanceof ToolResult ? `ok ${brief(value.text)}` : `failed ${brief(String(value))}`

/** Whether a person was asked about a call, and whether it got past the gate, by what it tells. */
const watch = (call: ToolCall) => {
  const seen = { asked: false, started: false }
  const hear = (event: ToolEvent): undefined => {
    if (event._tag === "ApprovalResolved") seen.asked = true
    if (event._tag === "ToolCallStarted") seen.started = true
  }
  return { seen, sink: heard(call.sink, hear) }
}

/**
 * Notices a worker that makes the same call again and again in one task with the same outcome (as opencode and Gemini
 * CLI do). An outcome that changes is no loop: polling goes on. Its place is outside all steps that can refuse a call.
 */
export const loopGuard = ({
  action,
  repeats: given = defaultRepeats
}: LoopGuardOptions): Effect.Effect<Middleware<ToolCall, { fails: LoopDetected }>> =>
  Effect.sync(() => {
    const repeats = wholeNumber("loopGuard: repeats", given, { orInfinite: true })
    const trails = new Map<string, Trail>()
    const remember = (worker: string, asked: string, value: unknown, vouched?: boolean) => {
      const outcome = outcomeOf(value)
      const last = trails.get(worker)
      const same = last !== undefined && last.asked === asked && last.outcome === outcome
      trails.delete(worker)
      trails.set(worker, {
        asked,
        outcome,
        count: same ? last.count + 1 : 1,
        vouched: vouched ?? (same && last.vouched)
      })
      const [oldest] = trails.keys()
      if (trails.size > maxWorkers && oldest !== undefined) trails.delete(oldest)
    }

    const stop = (call: ToolCall, worker: string, count: number, because?: string) => {
      trails.delete(worker)
      const reason = because === undefined ? {} : { because: because.slice(0, maxBecause) }
      return new LoopDetected({ tool: call.name, repeats: count, ...reason })
    }

    const noticed = <Self extends ToolCall, A, E, R>(
      call: Self,
      next: (call: Self) => Effect.Effect<A, E, R>,
      { worker, asked, count }: { readonly worker: string; readonly asked: string; readonly count: number }
    ): Effect.Effect<A, E | LoopDetected, R> => {
      const { seen, sink } = watch(call)
      return Effect.matchEffect(next({ ...call, sink, repeats: count + 1 }), {
        onFailure: (error): Effect.Effect<never, E | LoopDetected> => {
          if (!seen.started && !seen.asked)
            return stop(call, worker, count, error instanceof Error ? error.message : String(error))
          if (seen.started) remember(worker, asked, error, seen.asked)
          return Effect.fail(error)
        },
        onSuccess: (result) => {
          remember(worker, asked, result, seen.asked)
          return Effect.succeed(result)
        }
      })
    }

    const guard: Middleware<ToolCall, { fails: LoopDetected }> = <Self extends ToolCall, A, E, R>(
      call: Self,
      next: (call: Self) => Effect.Effect<A, E, R>
    ) =>
      Effect.suspend((): Effect.Effect<A, E | LoopDetected, R> => {
        const params = canonical(call.rawParams)
        if (Option.isNone(params)) return next(call)
        const worker = JSON.stringify([call.sessionId, call.taskId, call.workerPath])
        const asked = brief(`${call.name} ${params.value}`)
        const last = trails.get(worker)
        if (last !== undefined && last.asked === asked && last.count >= repeats) {
          const { count, vouched } = last
          if (action === "stop" || (count >= maxUnasked * repeats && !vouched)) return stop(call, worker, count)
          if (count % repeats === 0) return noticed(call, next, { worker, asked, count })
        }
        return Effect.matchEffect(next(call), {
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
    return named("loop guard", `${action} after ${repeats} identical calls`, guard)
  })
