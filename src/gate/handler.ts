import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import { isDeepStrictEqual } from "node:util"
import { ApprovalStale } from "../approval/ApprovalError.ts"
import type * as Tool from "../tool/Tool.ts"
import { silent, type ToolCall } from "../tool/ToolCall.ts"
import { made, ToolCallStarted } from "../tool/ToolEvent.ts"
import { ResultInvalid, type ToolResult } from "../tool/ToolResult.ts"
import { changedFrom } from "./asked.ts"
import { effectOf } from "../middleware/effectOf.ts"
import { passing } from "./approve.ts"
import { AlreadyRan, GateBypassed, ParametersChanged, type Refused } from "./GateError.ts"
import { Passage, type Told } from "./Passage.ts"
import { same } from "./validate.ts"

type Handler = Tool.Any["handler"]

/** The handler's own error and requirements are in the toolset's type; here they are out of sight. */
const handle = (handler: (params: never, call: ToolCall) => unknown, call: ToolCall): Effect.Effect<unknown> =>
  effectOf("the handler", handler(call.params as never, call) as Effect.Effect<unknown>)

/** The tool as calls carry it: a frozen copy whose handler fails, since only the gate runs handlers. */
export const handled = (tool: Tool.Any): Tool.Any =>
  Object.freeze({
    ...tool,
    codec: Object.freeze({ ...tool.codec }),
    handler: () => new GateBypassed({ tool: tool.name })
  })

const encoded = (tool: Tool.Any, success: unknown): Effect.Effect<ToolResult, ResultInvalid> => {
  const result = tool.codec.encode()(success)
  return Either.isRight(result)
    ? Effect.succeed(result.right)
    : Effect.fail(new ResultInvalid({ tool: tool.name, reason: result.left }))
}

/** What a tool is told of the decision on its call. */
const told = Struct.keys({
  confined: true,
  decided: true,
  preview: true,
  ruled: true,
  withheld: true,
  withheldFrom: true
} satisfies Record<keyof Told, true>)

/** The call with what was decided on it and nothing else, whatever a middleware has said of that. */
const asDecided = ({ cleared }: Passage, call: ToolCall): ToolCall => {
  const known = cleared?.told ?? {}
  if (told.every((key) => call[key] === known[key])) return call
  return { ...Struct.omit(call, ...told), ...known }
}

/** The call as it was decided on, with parameters decoded anew for each attempt. */
const decidedOn = (passage: Passage, given: ToolCall): ToolCall | ParametersChanged => {
  const { cleared } = passage
  const call = asDecided(passage, given)
  if (cleared?.stillHolds === undefined) return call
  const params = call.tool.codec.decode()(cleared.rawParams)
  return Either.isRight(params) && same(params.right, cleared.params)
    ? { ...call, rawParams: cleared.rawParams, params: params.right }
    : new ParametersChanged({ tool: call.name })
}

/**
 * The call as it was decided on; refused where its parameters are no longer those, or the log has told of the start of a
 * change with other ones.
 */
const fresh = (passage: Passage, given: ToolCall): ToolCall | ParametersChanged => {
  const call = decidedOn(passage, given)
  const goesOn =
    "_tag" in call || !passage.started || call.tool.readOnly || isDeepStrictEqual(call.rawParams, passage.begun)
  return goesOn ? call : new ParametersChanged({ tool: call.name, started: true })
}

const invoked = (
  handler: Handler,
  passage: Passage,
  call: ToolCall | ParametersChanged
): Effect.Effect<ToolResult, ResultInvalid | ParametersChanged | GateBypassed> => {
  if ("_tag" in call) return call
  if (passage.ended) return new GateBypassed({ tool: call.name })
  passage.entered = call
  const running = handle(handler, call)
  return Exit.isExit(running) && Exit.isSuccess(running)
    ? encoded(call.tool, running.value)
    : Effect.flatMap(running, (success) => encoded(call.tool, success))
}

/**
 * Says that the call has passed the gate. For a tool that is not read-only the event is durable before the handler
 * runs: after a crash the log knows every call that may have happened. Without a listener no event is made.
 */
const announced = (passage: Passage, call: ToolCall): Effect.Effect<void> => {
  const { sink } = passage.own(call)
  if (sink === silent) return Effect.void
  const { asked, cleared, gate } = passage
  const changed = asked === undefined ? Option.none() : changedFrom(asked, call.rawParams)
  passage.changed = Option.getOrUndefined(changed)
  const started = made(ToolCallStarted, {
    _tag: "ToolCallStarted",
    callId: call.callId,
    tool: call.name,
    readOnly: call.tool.readOnly,
    ...(Option.isSome(changed) && { parameters: changed.value }),
    ...(call.tool.concurrent && { concurrent: true }),
    ...(cleared?.approvedBy !== undefined && { approvedBy: cleared.approvedBy }),
    ...(gate._tag === "Unguarded" && { unguarded: gate.reason })
  })
  return call.tool.readOnly ? sink.emit(started) : sink.commit(started)
}

/** What was shown is still so, and is what runs; the log knows that the handler is about to run. */
const begun = (passage: Passage, given: ToolCall): Effect.Effect<ToolCall, ApprovalStale | ParametersChanged> =>
  Effect.suspend((): Effect.Effect<ToolCall, ApprovalStale | ParametersChanged> => {
    const { cleared, started } = passage
    const call = fresh(passage, given)
    if ("_tag" in call) return call
    if (started) return Effect.succeed(call)
    const said = (): Effect.Effect<ToolCall> =>
      Effect.map(announced(passage, call), () => {
        passage.started = true
        passage.begun = call.rawParams
        return call
      })
    if (cleared?.stillHolds === undefined) return said()
    return Effect.flatMap(cleared.stillHolds, (holds): Effect.Effect<ToolCall, ApprovalStale> =>
      holds ? said() : new ApprovalStale({ tool: call.name, callId: call.callId, rounds: 1 })
    )
  })

/**
 * The innermost end of every chain. With any stack the handler runs on decoded, decided parameters, after the log knows
 * of it, and at most once unless the tool is repeatable.
 */
export const leaf =
  (handler: Handler) =>
  (call: ToolCall): Effect.Effect<ToolResult, Refused | AlreadyRan | ResultInvalid> =>
    passing(call, (ready): Effect.Effect<ToolResult, Refused | AlreadyRan | ResultInvalid> => {
      const passage = Passage.of(ready)
      if (passage === undefined) return new GateBypassed({ tool: call.name })
      if (passage.runs > 0 && !ready.tool.repeatable) return new AlreadyRan({ tool: call.name })
      passage.runs++
      const plain = passage.cleared?.stillHolds === undefined && passage.own(ready).sink === silent
      return passage.started || plain
        ? invoked(handler, passage, fresh(passage, ready))
        : Effect.matchEffect(passage.alone(begun(passage, ready)), {
            onFailure: (why): Effect.Effect<never, ApprovalStale | ParametersChanged> => {
              passage.runs--
              return why
            },
            onSuccess: (call) => invoked(handler, passage, call)
          })
    })
