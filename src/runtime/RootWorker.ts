import * as Effect from "effect/Effect"
import { Delegation } from "../agent/Delegation.ts"
import { Meter } from "../agent/Meter.ts"
import * as SubWorkers from "../agent/SubWorkers.ts"
import type { Tools } from "../agent/Tools.ts"
import * as Worker from "../agent/Worker.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import type { Usage } from "../model/ModelPart.ts"
import type { ModelService } from "../model/Model.ts"
import { root, type WorkerPath } from "../tool/WorkerPath.ts"
import type { RuntimeSettings } from "./RuntimeOptions.ts"
import type { TaskSink } from "./TaskSink.ts"

/** The path of a summary of the conversation, which is no part of it until it takes its place. */
export const compactPath: WorkerPath = ["compact"]

export interface RootWorkerOptions {
  readonly session: string
  readonly options: RuntimeSettings
  readonly profile: string
  readonly model: ModelService
  readonly tools: Tools["Type"]
  readonly view: ModelView
  readonly sink: TaskSink
  /** What follows the system prompts of its workers. */
  readonly briefing: string
  /** What the task had used before a restart. */
  readonly used?: Usage
  /** Paths of sub-workers that the task had before a restart. */
  readonly taken?: ReadonlyArray<WorkerPath>
  /** Where the root goes on, and those of its sub-workers that do. */
  readonly from?: Worker.GoingOn
  readonly standing?: ReadonlyArray<SubWorkers.StandingWorker>
}

/** Runs the root worker of one task, and the sub-workers that its calls start. */
export const run = ({ briefing, model, options, profile, session, sink, tools, view, ...more }: RootWorkerOptions) => {
  const said = (...texts: ReadonlyArray<string>) => [...texts, briefing].filter((text) => text !== "").join("\n\n")
  const meter = new Meter()
  if (more.used !== undefined) meter.add(more.used)
  const common = { sessionId: session, profile, model, limits: options, spans: options.spans }
  const delegation = SubWorkers.make({
    common,
    systemPrompt: said(options.systemPrompt, options.workerPrompt),
    tools,
    open: sink.subWorker,
    meter,
    limits: options,
    taken: more.taken ?? [],
    standing: more.standing ?? []
  })
  const from = more.from === undefined ? {} : { from: more.from }
  const own = {
    workerPath: root,
    systemPrompt: said(options.systemPrompt),
    tools,
    view,
    sink: sink.worker(root),
    meter
  }
  return Effect.provideService(Worker.run({ ...common, ...own, ...from }), Delegation, delegation)
}
