import { withMore } from "../gate/conclude.ts"
import type { ToolEvent } from "../tool/ToolEvent.ts"
import { callKey, type CallPlace } from "../tool/CallPlace.ts"
import { isChild, isSame, isWithin, type WorkerPath } from "../tool/WorkerPath.ts"
import type { AgentEvent } from "./AgentEvent.ts"

/** The maximum number of reported calls and files of one worker, and characters of each. */
const maxCalls = 20
const maxFiles = 40
const maxText = 160

const cut = (text: string): string => (text.length <= maxText ? text : `${text.slice(0, maxText)}…`)

type Told = ReadonlyArray<string>

/** The last of more than fit, and how many are left out. */
const last = (all: Told, total: number): Told =>
  total > all.length ? [`${total - all.length} more before these`, ...all] : all

/** What a worker and those below it have done so far. */
class Deeds {
  private calls: Array<string> = []
  private ended = 0
  private readonly files = new Map<string, string>()
  private changed = 0
  /** What calls in flight are, by their places. */
  private readonly asked = new Map<string, string>()

  note(event: AgentEvent | ToolEvent, place: CallPlace): void {
    switch (event._tag) {
      case "ToolCallRequested":
        this.asked.set(callKey(place, event.callId), cut(`${event.tool} ${event.arguments}`))
        return
      case "ToolCallCompleted":
        return this.end(callKey(place, event.callId), event.failed === undefined ? "" : " (failed)")
      case "ToolCallFailed":
        return this.end(callKey(place, event.callId), " (failed)")
      case "ToolCallInterrupted":
        return this.end(callKey(place, event.callId), " (interrupted)")
      case "ToolCallOutcomeUnknown":
        return this.end(callKey(place, event.callId), " (outcome unknown)")
      case "FileChanged": {
        if (!this.files.has(event.path)) this.changed++
        this.files.delete(event.path)
        this.files.set(event.path, `${event.change} ${cut(event.path)}`)
        const [oldest] = this.files.keys()
        if (this.files.size > maxFiles && oldest !== undefined) this.files.delete(oldest)
        return
      }
      default:
    }
  }

  /** One that never began has done nothing. */
  private end(key: string, how: string): void {
    const what = this.asked.get(key)
    if (!this.asked.delete(key)) return
    this.ended++
    this.calls = [...this.calls, `${what}${how}`].slice(-maxCalls)
  }

  get told(): { readonly calls?: Told; readonly changedFiles?: Told } {
    return {
      ...(this.ended === 0 ? {} : { calls: last(this.calls, this.ended) }),
      ...(this.changed === 0 ? {} : { changedFiles: last([...this.files.values()], this.changed) })
    }
  }
}

interface Started {
  readonly path: WorkerPath
  readonly callId: string
  readonly deeds: Deeds
}

/** What the workers of one task have done, for the calls that started them and do not get their answers. */
export class WorkerDeeds {
  private started: ReadonlyArray<Started> = []

  begin(path: WorkerPath, callId: string): void {
    this.started = [...this.started, { path, callId, deeds: new Deeds() }]
  }

  /** The worker has given its answer, or has failed, which is its answer. */
  answered(path: WorkerPath): void {
    if (this.started.length > 0) this.started = this.started.filter((one) => !isSame(one.path, path))
  }

  /** Notes an event of a worker for all above it that are sub-workers. */
  note(event: AgentEvent | ToolEvent, path: WorkerPath, iteration: number): void {
    if (path.length < 2) return
    for (const { deeds, path: of } of this.started) {
      if (isWithin(path, of)) deeds.note(event, { worker: path, iteration })
    }
  }

  /** The end of a call, with what its worker had done where that has not answered. */
  endOf<E extends AgentEvent | ToolEvent>(event: E, parent: WorkerPath): E {
    if (this.started.length === 0 || !("message" in event) || !("callId" in event)) return event
    const isOwn = ({ callId, path }: Started) => callId === event.callId && isChild(path, parent)
    const own = this.started.find(isOwn)
    if (own === undefined || typeof event.message === "string") return event
    this.started = this.started.filter((one) => !isOwn(one))
    return { ...event, message: withMore(event.message, own.deeds.told) }
  }
}
