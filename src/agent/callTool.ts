import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Answer, answerKey } from "../approval/Ahead.ts"
import { ApprovalDenied, ApprovalUnavailable } from "../approval/ApprovalError.ts"
import { contextKey, type Edited, editedKey } from "../approval/Request.ts"
import { startedKey } from "../approval/Approvals.ts"
import type { FunctionCall } from "../conversation/Message.ts"
import type { CallRequest, CallSink } from "../gate/CallRequest.ts"
import { told } from "../gate/told.ts"
import { endOf } from "../middleware/endOf.ts"
import { lazy } from "../system/lazy.ts"
import type { ContextMessage } from "../tool/ApprovalRequest.ts"
import { LoopDetected } from "../tool/loopGuard.ts"
import { silent } from "../tool/ToolCall.ts"
import { approvalMessage } from "./approvalMessage.ts"
import { DelegationFailed } from "./Delegation.ts"
import type { CallError, Tools } from "./Tools.ts"
import type { WorkerSink } from "./WorkerSink.ts"

export interface CallPlace {
  readonly sessionId: string
  readonly workerPath: ReadonlyArray<string>
  readonly iteration: number
  /** Who makes the call. Default: the model. */
  readonly by?: "user"
  /** The last messages of the conversation, for the person who decides on the call. */
  readonly context?: () => ReadonlyArray<ContextMessage>
  /** The calls of the same answer. */
  readonly answer?: Answer
  /** What vouches for calls that had started before a restart, by their ids. */
  readonly started?: ReadonlyMap<string, object>
  /** What a person had put in place of the parameters of calls before a restart, by their ids. */
  readonly edited?: ReadonlyMap<string, Edited>
}

/** Whether a failure ends the task: of those that say so only Tollgate's own. */
const stops = (error: unknown): boolean => isRefusal()(error) && error.stop === true
const isRefusal = lazy(() =>
  Schema.is(Schema.Union(ApprovalDenied, ApprovalUnavailable, LoopDetected, DelegationFailed))
)

/** How a call ended, for who asked for it; the log has it already. */
export interface Called {
  readonly content: string
  readonly error?: CallError
  /** It ends the task. */
  readonly stops?: true
}

const requestOf = (
  place: CallPlace,
  call: FunctionCall,
  task: string,
  sink: CallSink,
  startedAt: number
): CallRequest => {
  const { answer, by, context, sessionId, workerPath } = place
  const started = place.started?.get(call.id)
  const edited = place.edited?.get(call.id)
  return {
    name: call.function.name,
    callId: call.id,
    sessionId,
    taskId: task,
    workerPath,
    arguments: call.function.arguments,
    startedAt,
    metadata: {
      ...(context === undefined ? {} : { [contextKey]: context }),
      ...(started === undefined ? {} : { [startedKey]: started }),
      ...(edited === undefined ? {} : { [editedKey]: edited }),
      ...(answer === undefined ? {} : { [answerKey]: answer })
    },
    ...(by === undefined ? {} : { by }),
    sink
  }
}

/** Later calls of an answer that are looked at while one of them waits for a person. */
const maxAhead = 16

/** The calls of one answer, for the person who decides on one of them. */
export const answerOf = (
  tools: Tools["Type"],
  task: string,
  place: CallPlace,
  calls: ReadonlyArray<FunctionCall>
): Answer => ({
  after: (callId, foresee) =>
    Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeMillis
      const later = calls
        .slice(calls.findIndex(({ id }) => id === callId) + 1)
        .filter(({ id }) => place.started?.has(id) !== true)
      const requests = yield* Effect.forEach(later.slice(0, maxAhead), (call) =>
        tools.foresee(requestOf(place, call, task, silent, startedAt), foresee)
      )
      return requests.filter((request) => request !== undefined)
    })
})

/** Runs one call of a model or a person through the gate; never fails. */
export const callTool = (
  tools: Tools["Type"],
  sink: WorkerSink,
  place: CallPlace,
  call: FunctionCall
): Effect.Effect<Called> =>
  Effect.gen(function* () {
    const { iteration } = place
    const callSink: CallSink = {
      emit: (event) => {
        const message = approvalMessage(event)
        return message === undefined ? sink.emit(event, iteration) : sink.emitAll([event, message], iteration)
      },
      commit: (event) => sink.commit(event, iteration)
    }
    const request = requestOf(place, call, sink.task, callSink, yield* Clock.currentTimeMillis)
    const exit = yield* Effect.exit(tools.call(request))
    if (Exit.isSuccess(exit)) return { content: exit.value.text }
    const end = endOf(exit.cause)
    if (end === "interrupted") return { content: `${request.name} was interrupted` }
    const failure = end === "crashed" ? Option.none() : Cause.failureOption(exit.cause)
    const error = Option.match(failure, {
      onNone: (): CallError => ({ _tag: "Crashed", message: `tool ${request.name} crashed` }),
      onSome: told
    })
    return { content: error.message, error, ...(Option.exists(failure, stops) && { stops: true }) }
  })
