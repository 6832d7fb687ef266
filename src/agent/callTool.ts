import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import { contextKey } from "../approval/Request.ts"
import { startedKey } from "../approval/Approvals.ts"
import type { FunctionCall } from "../conversation/Message.ts"
import type { CallRequest, CallSink } from "../gate/CallRequest.ts"
import { endOf } from "../middleware/endOf.ts"
import type { ContextMessage } from "../tool/ApprovalRequest.ts"
import { approvalMessage } from "./approvalMessage.ts"
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
  /** What vouches for calls that had started before a restart, by their ids. */
  readonly started?: ReadonlyMap<string, object>
}

/** How a call ended, for who asked for it; the log has it already. */
export interface Called {
  readonly content: string
  readonly error?: CallError
}

/** Runs one call of a model or a person through the gate; never fails. */
export const callTool = (
  tools: Tools["Type"],
  sink: WorkerSink,
  place: CallPlace,
  call: FunctionCall
): Effect.Effect<Called> =>
  Effect.gen(function* () {
    const { context, iteration } = place
    const started = place.started?.get(call.id)
    const callSink: CallSink = {
      emit: (event) => {
        const message = approvalMessage(event)
        return message === undefined ? sink.emit(event, iteration) : sink.emitAll([event, message], iteration)
      },
      commit: (event) => sink.commit(event, iteration)
    }
    const request: CallRequest = {
      name: call.function.name,
      callId: call.id,
      sessionId: place.sessionId,
      taskId: sink.task,
      workerPath: place.workerPath,
      arguments: call.function.arguments,
      startedAt: yield* Clock.currentTimeMillis,
      metadata: {
        ...(context === undefined ? {} : { [contextKey]: context }),
        ...(started === undefined ? {} : { [startedKey]: started })
      },
      ...(place.by === undefined ? {} : { by: place.by }),
      sink: callSink
    }
    const exit = yield* Effect.exit(tools.call(request))
    if (Exit.isSuccess(exit)) return { content: exit.value.text }
    const end = endOf(exit.cause)
    if (end === "interrupted") return { content: `${request.name} was interrupted` }
    const failure = end === "crashed" ? Option.none() : Cause.failureOption(exit.cause)
    const crashed: CallError = { _tag: "Crashed", message: `tool ${request.name} crashed` }
    const error = Option.getOrElse(failure, () => crashed)
    return { content: error.message, error }
  })
