import * as Effect from "effect/Effect"
import type { FunctionCall } from "../conversation/Message.ts"
import { type Called, type CallPlace, callTool } from "./callTool.ts"
import type { CallError, Tools } from "./Tools.ts"
import type { WorkerSink } from "./WorkerSink.ts"

/** A refusal that carries `stop: true` ends the task. */
const stops = (error: CallError | undefined): error is CallError =>
  error !== undefined && "stop" in error && error.stop === true

/** Neighbours that may run side by side, in order; every call that is not read-only stands alone. */
const groups = (
  tools: Tools["Type"],
  calls: ReadonlyArray<FunctionCall>
): ReadonlyArray<ReadonlyArray<FunctionCall>> => {
  const found: Array<Array<FunctionCall>> = []
  let reading = false
  for (const call of calls) {
    const reads = tools.tools.get(call.function.name)?.readOnly === true
    if (reads && reading) found.at(-1)?.push(call)
    else found.push([call])
    reading = reads
  }
  return found
}

/** Hears when a call passes the gate. */
const passing = (sink: WorkerSink, callId: string, passed: Effect.Effect<unknown>): WorkerSink => ({
  ...sink,
  emit: (event, iteration) =>
    event._tag === "ToolCallStarted" && event.callId === callId
      ? Effect.zipRight(sink.emit(event, iteration), passed)
      : sink.emit(event, iteration)
})

/** Read-only calls pass the gate one after the other, which keeps requests in order, and run in parallel. */
const together = (
  calls: ReadonlyArray<FunctionCall>,
  concurrency: number,
  run: (call: FunctionCall, passed: Effect.Effect<unknown>) => Effect.Effect<Called>
): Effect.Effect<ReadonlyArray<Called>> =>
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
 * Runs the calls of one answer in the model's order: neighbours that are read-only run side by side, at most `limit`
 * of them; any other waits for those before it, and those behind wait for it, its approval included. Gives the refusal that
 * ends the task, after which nothing more is begun.
 */
export const runCalls = (
  calls: ReadonlyArray<FunctionCall>,
  {
    limit,
    place,
    sink,
    tools
  }: {
    readonly tools: Tools["Type"]
    readonly sink: WorkerSink
    readonly place: CallPlace
    readonly limit: number
  }
): Effect.Effect<CallError | undefined> =>
  Effect.gen(function* () {
    for (const group of groups(tools, calls)) {
      const results =
        group.length === 1
          ? yield* Effect.forEach(group, (call) => callTool(tools, sink, place, call))
          : yield* together(group, limit, (call, passed) =>
              callTool(tools, passing(sink, call.id, passed), place, call)
            )
      const refusal = results.map(({ error }) => error).find(stops)
      if (refusal !== undefined) return refusal
    }
    return undefined
  })
