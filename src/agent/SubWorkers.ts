import * as Effect from "effect/Effect"
import type { StoredMessage } from "../conversation/Message.ts"
import { ModelView } from "../conversation/ModelView.ts"
import { monotonicMillis } from "../system/monotonic.ts"
import type { Routed } from "../model/openModel.ts"
import type { RoutingRequest } from "../model/Routing.ts"
import { modelRouted } from "./modelRouted.ts"
import type { Usage } from "../model/ModelPart.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { asTold } from "../redaction/told.ts"
import { Ids } from "../tool/Ids.ts"
import { callKey } from "../tool/CallPlace.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { isChild, parentOf, root, toText, type WorkerPath } from "../tool/WorkerPath.ts"
import { MessageRecorded, WorkerStarted } from "./AgentEvent.ts"
import { type Delegation, DelegationFailed, type DelegationRequest } from "./Delegation.ts"
import { Meter } from "./Meter.ts"
import type { NamedWorker, NamedWorkers } from "./NamedWorker.ts"
import { Siblings } from "./Siblings.ts"
import { cancellable, endOf, statusOf } from "./SubWorkerEnd.ts"
import type { Tools } from "./Tools.ts"
import { type GoingOn, run, type WorkerOptions } from "./Worker.ts"
import type { OpenSink } from "./WorkerSink.ts"
import * as ToolOffer from "./ToolOffer.ts"
import * as WorkerTools from "./WorkerTools.ts"

export interface SubWorkerLimits {
  /** Levels of sub-workers below the root. */
  readonly maxDepth: number
  /** Sub-workers of one task. */
  readonly maxWorkers: number
}

export interface SubWorkersOptions {
  /** What every worker of the task has in common. */
  readonly common: Pick<WorkerOptions, "sessionId" | "project" | "profile" | "model" | "limits" | "spans">
  readonly systemPrompt: string
  readonly tools: Tools["Type"]
  readonly open: OpenSink
  /** Of the root. */
  readonly meter: Meter
  readonly limits: SubWorkerLimits
  readonly workers: NamedWorkers
  /** Whether there is anything to route by. */
  readonly routes: boolean
  /** Opens the profile of a worker, or another one that routing selects. */
  readonly openRouted: (request: RoutingRequest) => Effect.Effect<Routed, { readonly message: string }>
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
  readonly bounds: Bounds
  /** What runs the parent, and so those below that name no other. */
  readonly runs: Pick<WorkerOptions, "profile" | "model">
}

/** What a worker hands down at most. */
interface Bounds {
  /** The names of its tools; all of the task if unset. */
  readonly only: ReadonlySet<string> | undefined
  /** The depth of the deepest worker that it and those below may start. */
  readonly deepest: number
}

/** A named worker has no more than its parent. */
const boundsOf = (named: NamedWorker | undefined, { deepest, only }: Bounds, depth: number): Bounds => ({
  only: named?.tools === undefined ? only : new Set(named.tools.filter((name) => only === undefined || only.has(name))),
  deepest: Math.min(deepest, depth + (named?.maxDepth ?? Infinity))
})

/**
 * Runs the sub-workers of one task: a task in, a text out, behind the same gate. Each has ended, with all that it
 * started, before the call that asked for it does.
 */
export const make = (options: SubWorkersOptions): Delegation["Type"] => {
  const { common, limits, systemPrompt, workers } = options
  const { project, sessionId, spans } = common
  const families = new Map<string, Family>()
  const callOf = (parent: WorkerPath, callId: string) => callKey({ worker: parent }, callId)
  const standing = new Map(options.standing.map((one) => [callOf(parentOf(one.path), one.callId), one]))
  let started = options.taken.length

  const family = (parent: WorkerPath, own: Omit<Family, "siblings">): Family => {
    const names = options.taken.filter((path) => isChild(path, parent)).map((path) => path.at(-1))
    const made = { ...own, siblings: new Siblings(names.filter((name) => name !== undefined)) }
    families.set(toText(parent), made)
    return made
  }
  const ofRoot = family(root, {
    meter: options.meter,
    bounds: { only: undefined, deepest: limits.maxDepth },
    runs: { profile: common.profile, model: common.model }
  })

  /** Workers with the same bounds have the same tools. */
  const narrowed = new Map<boolean, WeakMap<object, Tools["Type"]>>([true, false].map((one) => [one, new WeakMap()]))
  const toolsOf = (only: Bounds["only"], mayDelegate: boolean): Tools["Type"] => {
    const known = narrowed.get(mayDelegate)
    const key = only ?? options.tools
    const found = known?.get(key) ?? WorkerTools.make(options.tools, { isRoot: false, only, mayDelegate, workers })
    known?.set(key, found)
    return found
  }

  const refusal = (depth: number, deepest: number): string | undefined =>
    depth > deepest
      ? `workers are nested ${deepest} deep, the limit. Do the task yourself.`
      : started >= limits.maxWorkers
        ? `the task has started ${limits.maxWorkers} workers, the limit. Do the rest yourself.`
        : undefined

  /** The named worker that a request asks for. */
  const namedOf = (name: string | undefined) => {
    if (name === undefined) return Effect.succeed(undefined)
    const known = Object.keys(workers)
    const named = known.includes(name) ? workers[name] : undefined
    return named === undefined
      ? new DelegationFailed({
          reason: `no worker ${JSON.stringify(name)} is configured. Configured: ${known.join(", ") || "none"}.`
        })
      : Effect.succeed(named)
  }

  /** What the configuration says of a worker, besides what its task has for all. */
  const ownOf = (named: NamedWorker | undefined): Pick<WorkerOptions, "systemPrompt" | "limits"> => {
    const { instructions = "", maxIterations = Infinity } = named ?? {}
    return {
      systemPrompt: [systemPrompt, instructions].filter((text) => text !== "").join("\n\n"),
      limits: maxIterations < common.limits.maxIterations ? { ...common.limits, maxIterations } : common.limits
    }
  }

  /** What runs a worker: the model of its profile or of what routing selects, or that of its parent. */
  const runsOf = (
    named: NamedWorker | undefined,
    above: Family["runs"],
    { call, task, worker }: DelegationRequest
  ): Effect.Effect<Routed, DelegationFailed> => {
    const { profile, weight } = named ?? {}
    if (profile === undefined && !options.routes) return Effect.succeed(above)
    const context = {
      parent: toText(call.workerPath),
      prompt: task,
      ...(worker === undefined ? {} : { named: worker })
    }
    const request = { profile: profile ?? above.profile, ...(weight === undefined ? {} : { weight }), context }
    return Effect.mapError(options.openRouted(request), (error) => new DelegationFailed({ reason: error.message }))
  }

  /** A worker that begins: it has a name of its own, its task, and what its elder siblings gave. */
  const begun = ({ call, task, worker: named, name = named }: DelegationRequest, siblings: Siblings) =>
    Effect.gen(function* () {
      const { text: told } = yield* Redactor
      const worker = siblings.name(name === undefined ? name : told(name))
      const path = [...call.workerPath, worker]
      const ids = yield* Ids
      const view = new ModelView()
      const sink = options.open(path, (change) => view.apply(change))
      const known = siblings.summary()
      const said = (content: string) =>
        Effect.map(ids.next("message"), (id) => {
          const message: StoredMessage = { id, message: { role: "user", content } }
          return new MessageRecorded({ message }, trusted)
        })
      const start = { callId: call.callId, task, depth: call.workerPath.length }
      const begin = Effect.gen(function* () {
        const started = new WorkerStarted({ ...start, ...(named === undefined ? {} : { named }) }, trusted)
        if (!(yield* sink.begin(started))) {
          return yield* new DelegationFailed({ reason: "the call that asks for it has ended." })
        }
        const messages = known === undefined ? [] : [asTold(yield* said(known))]
        yield* sink.emitAll([...messages, yield* said(task)], 1)
      })
      return { path, view, sink, begin, more: {} }
    })

  /** A worker that goes on. */
  const resumed = ({ from, path, view }: StandingWorker) => {
    const sink = options.open(path, (change) => view.apply(change))
    return { path, view, sink, begin: Effect.void, more: { from } }
  }

  const delegate = (request: DelegationRequest) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const { callId, workerPath: parent } = request.call
        const depth = parent.length
        const waiting = standing.get(callOf(parent, callId))
        standing.delete(callOf(parent, callId))
        const above = families.get(toText(parent)) ?? ofRoot
        const named = yield* namedOf(request.worker)
        const { decision, ...runs } = yield* runsOf(named, above.runs, request)
        const reason = waiting === undefined ? refusal(depth, above.bounds.deepest) : undefined
        if (reason !== undefined) return yield* new DelegationFailed({ reason })
        if (waiting === undefined) started++
        const { siblings } = above
        const { begin, more, path, sink, view } =
          waiting === undefined ? yield* begun(request, siblings) : resumed(waiting)
        const startedAt = yield* monotonicMillis
        yield* begin
        const bounds = boundsOf(named, above.bounds, depth)
        const { meter } = family(path, { bounds, runs, meter: new Meter(above.meter, waiting?.used, named?.maxTokens) })

        const work = Effect.gen(function* () {
          yield* sink.emitAll(modelRouted(decision), 1)
          const tools = toolsOf(bounds.only, depth < bounds.deepest)
          const own = { sessionId, project, spans, ...ownOf(named), workerPath: path, tools, view, sink, meter }
          const { model, profile } = runs
          const working = run({ ...own, profile, model, ...more })
          const returned = Effect.flatMap(working, (outcome) => {
            if (statusOf(outcome) !== "done") return Effect.succeed(outcome)
            const manual = ToolOffer.owned(named?.tools ?? [], options.tools.tools).filter(
              ({ name }) => bounds.only?.has(name) === true
            )
            const of = {
              call: request.call,
              sessionId,
              path,
              iteration: outcome.iterations,
              text: outcome.text
            }
            return Effect.map(ToolOffer.offered({ ...of, tools, sink }, manual), (ran) => ({
              ...outcome,
              text: [outcome.text, ...ran].join("\n\n")
            }))
          })
          const outcome = yield* cancellable(restore, returned, sink.whenCancelled)
          yield* sink.end(endOf(outcome, Math.round((yield* monotonicMillis) - startedAt)))
          families.delete(toText(path))
          return yield* outcome
        })
        const ended = yield* work.pipe(
          Effect.mapError((error) => {
            const how =
              error._tag === "TaskStopped" ? { stop: true } : error._tag === "Cancelled" ? { interrupted: true } : {}
            return new DelegationFailed({ worker: toText(path), reason: error.message, ...how })
          })
        )
        const { text } = ended
        const status = statusOf(ended)
        if (status === "done") siblings.done(path.at(-1) ?? "", text, (yield* Redactor).jsonText)
        return { status, text }
      })
    )

  return { delegate }
}
