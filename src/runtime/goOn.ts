import * as Effect from "effect/Effect"
import { type GoingOn, TaskStopped, type WorkerError, type WorkerOutcome } from "../agent/Worker.ts"
import type { SessionApprovals } from "../approval/SessionState.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import { noUsage } from "../model/ModelPart.ts"
import { Models, type ProfileError } from "../model/Models.ts"
import { modelRouted } from "../agent/modelRouted.ts"
import { openRouted } from "../model/openModel.ts"
import type { Gauge } from "../agent/Gauge.ts"
import type { Briefer } from "./Briefing.ts"
import type { Continuation, Stopped } from "./Stopped.ts"
import * as ManualCall from "./ManualCall.ts"
import * as WorkerPath from "../tool/WorkerPath.ts"
import type { ProjectTools } from "./Projects.ts"
import * as RootWorker from "./RootWorker.ts"
import type { Lease } from "./SessionStore.ts"
import { RuntimeOptions } from "./RuntimeOptions.ts"
import type { TakenWorker, TaskSink } from "./TaskSink.ts"

const taken = ({ callId, calls, iteration, path, requested, requests, started }: Stopped): TakenWorker => ({
  path,
  callId,
  iteration,
  calls: calls.map(({ function: { name: tool }, id }) => ({
    callId: id,
    tool,
    requested: requested.has(id),
    started: started.has(id),
    approval: requests.find((request) => request.callId === id)?.id
  }))
})

/** Goes on where the task stopped: the calls that wait, then the models again. */
export const goOn = (
  { below, root, taken: paths, used }: Continuation,
  { project: of, session }: Pick<Lease, "project" | "session">,
  approvals: SessionApprovals,
  view: ModelView,
  asked: string,
  { tools, workers: named }: Pick<ProjectTools, "tools" | "workers">,
  briefer: Briefer,
  gauge: Gauge
): Effect.Effect<(sink: TaskSink) => Effect.Effect<WorkerOutcome, WorkerError | ProfileError>, never, Models> =>
  Effect.gen(function* () {
    const options = yield* RuntimeOptions
    const models = yield* Models

    const goingOn = ({ answered, calls, edited, iteration, path, started }: Stopped): Effect.Effect<GoingOn> =>
      Effect.gen(function* () {
        const vouched = new Map<string, object>()
        for (const id of started) vouched.set(id, yield* approvals.vouch)
        const message = answered?.message.message
        const asked = message?.role === "assistant" ? (message.tool_calls?.length ?? 0) : 0
        const settled = approvals.abandon(path)
        return { iteration, calls, asked, usage: answered?.usage ?? noUsage, started: vouched, edited, settled }
      })

    return (sink) =>
      Effect.gen(function* () {
        sink.takeUp([root, ...below].map(taken))
        if (root.answered === undefined) {
          const worker = sink.worker(WorkerPath.root)
          const runs = Effect.forEach(root.calls, (call) =>
            ManualCall.run(tools, worker, { session, edited: root.edited }, call, false)
          )
          const [outcome] = yield* Effect.ensuring(runs, approvals.abandon(WorkerPath.root))
          return outcome ?? (yield* new TaskStopped({ reason: "The waiting call is no longer known. Run it again." }))
        }
        const context = { session, project: of, task: sink.worker(WorkerPath.root).task, worker: "root" }
        const { decision, model, profile } = yield* openRouted(models, { profile: asked, context })
        yield* sink.worker(WorkerPath.root).emitAll(modelRouted(decision), root.iteration)
        const from = yield* goingOn(root)
        const standing = yield* Effect.forEach(below, (one) => Effect.map(goingOn(one), (from) => ({ ...one, from })))
        const workers = named ?? options.workers
        const more = {
          used,
          taken: paths,
          from,
          standing,
          briefing: yield* briefer.goOn(sink),
          rebriefed: briefer.goOn(sink),
          gauge,
          before: briefer.news(sink)
        }
        const own = { session, project: of, options, profile, model, models, tools, workers, view, sink }
        return yield* RootWorker.run({ ...own, ...more })
      })
  })
