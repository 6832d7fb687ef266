import type { FunctionCall } from "../conversation/Message.ts"
import type { GateError } from "../gate/GateError.ts"
import { told } from "../gate/told.ts"
import { LoopDetected } from "../tool/loopGuard.ts"
import type { CallError } from "./Tools.ts"

/** What refuses a call before there is a tool whose stack, with its loop guard, could look at it. */
const early: ReadonlySet<string> = new Set<GateError["_tag"]>([
  "ToolNotFound",
  "ReservedToolName",
  "ArgumentsMalformed"
])

/** As many equal refusals in a row end a task. */
const most = 3

/** Notices a worker that makes the same impossible call again and again, which costs a request each time. */
export class Refusals {
  private last = ""
  private count = 0

  /** Takes the end of a call; gives why the task ends with it. */
  note({ function: { arguments: text, name } }: FunctionCall, error: CallError | undefined): CallError | undefined {
    const key = error !== undefined && early.has(error._tag) ? JSON.stringify([name, text, error._tag]) : ""
    this.count = key === "" ? 0 : key === this.last ? this.count + 1 : 1
    this.last = key
    return error === undefined || this.count <= most
      ? undefined
      : told(new LoopDetected({ tool: name, repeats: most, because: error.message }))
  }
}
