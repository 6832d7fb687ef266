import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { StoredMessage } from "../conversation/Message.ts"
import { ModelView } from "../conversation/ModelView.ts"
import { endOf as kindOf } from "../middleware/endOf.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import type { Usage } from "../model/ModelPart.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { Ids } from "../tool/Ids.ts"
import { callKey } from "../tool/CallPlace.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { isChild, parentOf, toText, type WorkerPath } from "../tool/WorkerPath.ts"
import { concluded } from "../gate/conclude.ts"
import { guarded } from "../gate/Gate.ts"
import { Passage } from "../gate/Passage.ts"
import { ToolNotFound } from "../gate/Toolset.ts"
import {
  MessageRecorded,
  WorkerCompleted,
  type WorkerEnded,
  WorkerFailed,
  WorkerInterrupted,
  WorkerStarted
} from "./AgentEvent.ts"
import {
  delegateTool,
  type Delegation,
  DelegationFailed,
  type DelegationRequest,
  type DelegationResult
} from "./Delegation.ts"
import { Meter } from "./Meter.ts"
import { Siblings } from "./Siblings.ts"
import type { Tools } from "./Tools.ts"
import { type GoingOn, run, type WorkerError, type WorkerOptions, type WorkerOutcome } from "./Worker.ts"
import type { OpenSink } from "./WorkerSink.ts"

export interface SubWorkerLimits {
  /** Levels of sub-workers below the root. */
  readonly maxDepth: number
  /** Sub-workers of one task. */
  readonly maxWorkers: number
}

export interface SubWorkersOptions {
  /** What every worker of the task has in common. */
  readonly common: Pick<WorkerOptions, "sessionId" | "profile" | "model" | "limits" | "spans">
  readonly systemPrompt: string
  readonly tools: Tools["Type"]
  readonly open: OpenSink
  /** Of the root. */
  readonly meter: Meter
  readonly limits: SubWorkerLimits
  /** Paths that the task has given before. */
  readonly taken: ReadonlyArray<WorkerPath>
  /** Workers that go on as soon as the calls that started them do. */
  readonly standing: ReadonlyArray<StandingWorker>
}

/** A sub-worker that stopped with its runtime, and its conversation so far. */
export interface StandingWorker {
  readonly path: WorkerPath
  /** The call of its parent that started it. */
  readonly callId: string
  readonly from: GoingOn
  readonly view: ModelView
  /** By the worker and those below it. */
  readonly used: Usage
}

/** What the workers of one parent share. */
interface Family {
  readonly siblings: Siblings
  readonly meter: Meter
}

type Outcome = Exit.Exit<WorkerOutcome, WorkerError>

/** The same tools behind the same gate, but for those of the client, whose user talks with the root alone. */
const toolsBelow = (tools: Tools["Type"], mayDelegate: boolean): Tools["Type"] => {
  const functions = tools.functions(new Set()).filter(({ name }) => mayDelegate || name !== delegateTool)
  return {
    tools: tools.tools,
    functions: () => functions,
    call: (request) =>
      tools.tools.get(request.name)?.location === "client"
        ? concluded(
            request,
            undefined,
            new Passage(guarded),
            () => new ToolNotFound({ tool: request.name, known: functions.map(({ name }) => name) })
          )
        : tools.call(request)
  }
}

const statusOf = (text: string): DelegationResult["status"] =>
  /^\W*i need to know\b/i.test(text) ? "question" : "done"

const crashed = "it crashed. This is a bug in Tollgate."

const endOf = (outcome: Outcome, durationMillis: number): WorkerEnded => {
  if (Exit.isSuccess(outcome)) {
    const { iterations, text, usage } = outcome.value
    return new WorkerCompleted({ status: statusOf(text), usage, iterations, durationMillis }, trusted)
  }
  const failure = Cause.failureOption(outcome.cause)
  if (Option.isNone(failure) && kindOf(outcome.cause) === "interrupted") {
    return new WorkerInterrupted({ durationMillis }, trusted)
  }
  const message = Option.match(failure, { onNone: () => crashed, onSome: (error) => error.message })
  return new WorkerFailed({ message, durationMillis }, trusted)
}

/**
 * Runs the sub-workers of one task: a task in, a text out, behind the same gate. Each has ended, with all that it
 * started, before the call that asked for it does.
 */
export const make = (options: SubWorkersOptions): Delegation["Type"] => {
  const { common, limits, systemPrompt } = options
  const families = new Map<string, Family>()
  const callOf = (parent: WorkerPath, callId: string) => callKey({ worker: parent }, callId)
  const standing = new Map(options.standing.map((one) => [callOf(parentOf(one.path), one.callId), one]))
  let started = options.taken.length

  const familyOf = (parent: WorkerPath, meter: Meter): Family => {
    const known = families.get(toText(parent))
    if (known !== undefined) return known
    const names = options.taken.filter((path) => isChild(path, parent)).map((path) => path.at(-1))
    const family = { siblings: new Siblings(names.filter((name) => name !== undefined)), meter }
    families.set(toText(parent), family)
    return family
  }

  const refusal = (depth: number): string | undefined =>
    depth > limits.maxDepth
      ? `workers are nested ${limits.maxDepth} deep, the limit. Do the task yourself.`
      : started >= limits.maxWorkers
        ? `the task has started ${limits.maxWorkers} workers, the limit. Do the rest yourself.`
        : undefined

  /** A worker that begins: it has a name of its own, its task, and what its elder siblings gave. */
  const begun = ({ call, name, task }: DelegationRequest, siblings: Siblings) =>
    Effect.gen(function* () {
      const { text: told } = yield* Redactor
      const worker = siblings.name(name === undefined ? name : told(name))
      const path = [...call.workerPath, worker]
      const ids = yield* Ids
      const view = new ModelView()
      const sink = options.open(path, (message) => view.add(message))
      const known = siblings.summary()
      const said = (content: string) =>
        Effect.map(ids.next("message"), (id) => {
          const message: StoredMessage = { id, message: { role: "user", content } }
          return new MessageRecorded({ message }, trusted)
        })
      const begin = Effect.gen(function* () {
        yield* sink.begin(new WorkerStarted({ callId: call.callId, task, depth: call.workerPath.length }, trusted))
        yield* sink.emitAll(yield* Effect.forEach(known === undefined ? [task] : [known, task], said), 1)
      })
      return { path, view, sink, begin, more: {} }
    })

  /** A worker that goes on. */
  const resumed = ({ from, path, view }: StandingWorker) => {
    const sink = options.open(path, (message) => view.add(message))
    return { path, view, sink, begin: Effect.void, more: { from } }
  }

  const delegate = (request: DelegationRequest) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { callId, workerPath: parent } = request.call
        const depth = parent.length
        const waiting = standing.get(callOf(parent, callId))
        standing.delete(callOf(parent, callId))
        const reason = waiting === undefined ? refusal(depth) : undefined
        if (reason !== undefined) return yield* new DelegationFailed({ reason })
        if (waiting === undefined) started++
        const { meter: above, siblings } = familyOf(parent, options.meter)
        const { begin, more, path, sink, view } =
          waiting === undefined ? yield* begun(request, siblings) : resumed(waiting)
        const { meter } = familyOf(path, new Meter(above, waiting?.used))

        const work = Effect.gen(function* () {
          const startedAt = yield* monotonicMillis
          yield* begin
          const tools = toolsBelow(options.tools, depth < limits.maxDepth)
          const working = run({ ...common, workerPath: path, systemPrompt, tools, view, sink, meter, ...more })
          const outcome = yield* Effect.exit(restore(working))
          yield* sink.end(endOf(outcome, Math.round((yield* monotonicMillis) - startedAt)))
          families.delete(toText(path))
          return yield* outcome
        })
        const { text } = yield* work.pipe(
          Effect.mapError((error) => {
            const stop = error._tag === "TaskStopped"
            return new DelegationFailed({ worker: toText(path), reason: error.message, ...(stop ? { stop } : {}) })
          })
        )
        const status = statusOf(text)
        if (status === "done") siblings.done(path.at(-1) ?? "", text)
        return { status, text }
      })
    )

  return { delegate }
}
