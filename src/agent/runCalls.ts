import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { FunctionCall } from "../conversation/Message.ts"
import { answerOf, type Called, type CallPlace, callTool } from "./callTool.ts"
import type { Refusals } from "./Refusals.ts"
import type { CallError, Tools } from "./Tools.ts"
import type { WorkerSink } from "./WorkerSink.ts"

/** A refusal that ends the task came to a call; those beside it are interrupted. */
class Stopped extends Data.TaggedError("Stopped")<{ readonly refusal: CallError }> {}

const unlessStopped = (
  call: FunctionCall,
  refusals: Refusals,
  run: Effect.Effect<Called>
): Effect.Effect<Called, Stopped> =>
  Effect.flatMap(run, (called) => {
    const repeated = refusals.note(call, called.error)
    const refusal = called.stops === true ? called.error : repeated
    return refusal === undefined ? Effect.succeed(called) : new Stopped({ refusal })
  })

export interface CallLimits {
  /** Read-only calls of one answer that run at the same time. */
  readonly parallelCalls: number
  /** Calls of one answer that run at the same time where their tool is concurrent, as those that start sub-workers. */
  readonly parallelWorkers: number
}

/**
 * What a call may have beside it: other readers, other calls of its own concurrent tool, other calls that a frontend runs, or
 * nothing.
 */
type Company = "readers" | "own kind" | "client" | "none"

interface Group {
  readonly company: Company
  readonly calls: Array<FunctionCall>
}

/** Neighbours that may run side by side, in order. */
const groups = (tools: Tools["Type"], calls: ReadonlyArray<FunctionCall>): ReadonlyArray<Group> => {
  const found: Array<Group> = []
  for (const call of calls) {
    const { name } = call.function
    const tool = tools.tools.get(name)
    const shared = tool?.location === "client" ? "client" : "own kind"
    const company = tool?.readOnly === true ? "readers" : tool?.concurrent === true ? shared : "none"
    const last = found.at(-1)
    const joins =
      company !== "none" &&
      last?.company === company &&
      (company !== "own kind" || last.calls[0]?.function.name === name)
    if (joins) last.calls.push(call)
    else found.push({ company, calls: [call] })
  }
  return found
}

/** Hears when a call passes the gate. */
const passing = (sink: WorkerSink, callId: string, passed: Effect.Effect<unknown>): WorkerSink => {
  const heard =
    (tell: WorkerSink["commit"]): WorkerSink["commit"] =>
    (event, iteration) => {
      const told = tell(event, iteration)
      return event._tag === "ToolCallStarted" && event.callId === callId ? Effect.zipLeft(told, passed) : told
    }
  return { ...sink, emit: heard(sink.emit as WorkerSink["commit"]) as WorkerSink["emit"], commit: heard(sink.commit) }
}

/** Calls pass the gate one after the other, which keeps requests in order, and then run side by side. */
const together = (
  calls: ReadonlyArray<FunctionCall>,
  concurrency: number,
  run: (call: FunctionCall, passed: Effect.Effect<unknown>) => Effect.Effect<Called, Stopped>
): Effect.Effect<ReadonlyArray<Called>, Stopped> =>
  Effect.suspend(() => {
    const turns = calls.map((_, index) => Effect.unsafeMakeLatch(index === 0))
    return Effect.forEach(
      calls,
      (call, index) => {
        const passed = turns[index + 1]?.open ?? Effect.void
        const turn = turns[index]?.await ?? Effect.void
        return Effect.zipRight(turn, Effect.ensuring(run(call, passed), passed))
      },
      { concurrency }
    )
  })

/**
 * Runs the calls of one answer in the model's order: neighbours that are read-only, or of one concurrent tool, run side by
 * side, at most as many as the limits say; any other waits for those before it, and those behind wait for it, its approval
 * included. Gives the refusal that ends the task, after which nothing more is begun.
 */
export const runCalls = (
  calls: ReadonlyArray<FunctionCall>,
  {
    limits,
    place: given,
    refusals,
    sink,
    tools
  }: {
    readonly tools: Tools["Type"]
    readonly sink: WorkerSink
    readonly place: CallPlace
    readonly limits: CallLimits
    readonly refusals: Refusals
  }
): Effect.Effect<CallError | undefined> =>
  Effect.gen(function* () {
    const place = calls.length > 1 ? { ...given, answer: answerOf(tools, sink.task, given, calls) } : given
    for (const { calls: group, company } of groups(tools, calls)) {
      const limit = company === "own kind" ? limits.parallelWorkers : limits.parallelCalls
      yield* group.length === 1
        ? Effect.forEach(group, (call) => unlessStopped(call, refusals, callTool(tools, sink, place, call)))
        : together(group, limit, (call, passed) =>
            unlessStopped(call, refusals, callTool(tools, passing(sink, call.id, passed), place, call))
          )
    }
    return undefined
  }).pipe(Effect.catchTag("Stopped", ({ refusal }) => Effect.succeed(refusal)))
