import * as Effect from "effect/Effect"
import { MessageRecorded } from "../agent/AgentEvent.ts"
import { callTool } from "../agent/callTool.ts"
import type { Tools } from "../agent/Tools.ts"
import { TaskStopped, type WorkerOutcome } from "../agent/Worker.ts"
import type { WorkerSink } from "../agent/WorkerSink.ts"
import type { Edited } from "../approval/Request.ts"
import type { FunctionCall, StoredMessage } from "../conversation/Message.ts"
import { noUsage } from "../model/ModelPart.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import * as WorkerPath from "../tool/WorkerPath.ts"

/** The iteration of a call that no model asked for. */
export const iteration = 1

/** Runs a call of the user, and adds its result to the conversation unless it stands apart from that. */
export const run = (
  tools: Tools["Type"],
  sink: WorkerSink,
  { edited, session: sessionId }: { readonly session: string; readonly edited?: ReadonlyMap<string, Edited> },
  call: FunctionCall,
  apart: boolean
): Effect.Effect<WorkerOutcome, TaskStopped> =>
  Effect.gen(function* () {
    const place = {
      sessionId,
      workerPath: WorkerPath.root,
      iteration,
      by: "user" as const,
      ...(edited === undefined ? {} : { edited })
    }
    const { content, error } = yield* callTool(tools, sink, place, call)
    const text = error === undefined ? content : error.message
    if (!apart) {
      const message: StoredMessage = {
        id: yield* (yield* Ids).next("message"),
        message: { role: "system", content: `The user ran ${call.function.name}: ${text}` }
      }
      yield* sink.emit(new MessageRecorded({ message }, trusted), iteration)
    }
    if (error !== undefined) return yield* new TaskStopped({ reason: error.message, error: error._tag })
    return { text, usage: noUsage, iterations: 1 }
  })
