import * as Effect from "effect/Effect"
import type { Gauge } from "../agent/Gauge.ts"
import { Delegation } from "../agent/Delegation.ts"
import { Meter } from "../agent/Meter.ts"
import * as SubWorkers from "../agent/SubWorkers.ts"
import type { NamedWorkers } from "../agent/NamedWorker.ts"
import type { Tools } from "../agent/Tools.ts"
import * as Worker from "../agent/Worker.ts"
import * as WorkerTools from "../agent/WorkerTools.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import type { Usage } from "../model/ModelPart.ts"
import type { ModelService } from "../model/Model.ts"
import type { Models } from "../model/Models.ts"
import { openRouted } from "../model/openModel.ts"
import { root, type WorkerPath } from "../tool/WorkerPath.ts"
import type { RuntimeSettings } from "./RuntimeOptions.ts"
import type { TaskSink } from "./TaskSink.ts"

export interface RootWorkerOptions {
  readonly session: string
  /** The project of the session. */
  readonly project: string
  readonly options: RuntimeSettings
  readonly profile: string
  readonly model: ModelService
  readonly tools: Tools["Type"]
  readonly workers: NamedWorkers
  readonly models: Models["Type"]
  readonly view: ModelView
  readonly sink: TaskSink
  /** Runs before each request of the root. */
  readonly before: (iteration: number) => Effect.Effect<void>
  /** What follows the system prompts of its workers. */
  readonly briefing: string
  /** The same by now, once the notes that changed it have made room for a summary. */
  readonly rebriefed: Effect.Effect<string>
  readonly gauge: Gauge
  /** What the task had used before a restart. */
  readonly used?: Usage
  /** Paths of sub-workers that the task had before a restart. */
  readonly taken?: ReadonlyArray<WorkerPath>
  /** Where the root goes on, and those of its sub-workers that do. */
  readonly from?: Worker.GoingOn
  readonly standing?: ReadonlyArray<SubWorkers.StandingWorker>
}

/** The tools of the root worker. */
export const toolsOf = (
  tools: Tools["Type"],
  { maxDepth }: Pick<RuntimeSettings, "maxDepth">,
  workers: NamedWorkers
): Tools["Type"] => WorkerTools.make(tools, { isRoot: true, only: undefined, mayDelegate: maxDepth > 0, workers })

/** Runs the root worker of one task, and the sub-workers that its calls start. */
export const run = (of: RootWorkerOptions) => {
  const { briefing, model, models, options, profile, project, session, sink, tools: all, view, workers, ...more } = of
  const tools = toolsOf(all, options, workers)
  const joined = (...texts: ReadonlyArray<string>) => texts.filter((text) => text !== "").join("\n\n")
  const said = (...texts: ReadonlyArray<string>) => joined(...texts, briefing)
  const meter = new Meter()
  if (more.used !== undefined) meter.add(more.used)
  const common = { sessionId: session, project, profile, model, limits: options, spans: options.spans }
  const delegation = SubWorkers.make({
    common,
    systemPrompt: said(options.systemPrompt, options.workerPrompt),
    tools: all,
    open: sink.subWorker,
    workers,
    routes: models.route !== undefined,
    openRouted: ({ context, ...asked }) =>
      openRouted(models, {
        ...asked,
        context: { session, project: of.project, task: sink.worker(root).task, ...context }
      }),
    meter,
    limits: options,
    taken: more.taken ?? [],
    standing: more.standing ?? []
  })
  const from = more.from === undefined ? {} : { from: more.from }
  const own = {
    workerPath: root,
    systemPrompt: said(options.systemPrompt),
    renewed: Effect.map(of.rebriefed, (now) => joined(options.systemPrompt, now)),
    gauge: of.gauge,
    tools,
    view,
    sink: sink.worker(root),
    meter,
    before: of.before
  }
  return Effect.provideService(Worker.run({ ...common, ...own, ...from }), Delegation, delegation)
}
