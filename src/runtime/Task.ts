import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { answer } from "../agent/answer.ts"
import type { WorkerSink } from "../agent/WorkerSink.ts"
import { compacted, summarise } from "../agent/compact.ts"
import { fixedSize, Gauge } from "../agent/Gauge.ts"
import * as Spans from "../agent/Spans.ts"
import { TaskStopped, type WorkerError, type WorkerOutcome } from "../agent/Worker.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import { Models, type ProfileError, ProfileInvalid } from "../model/Models.ts"
import { json } from "../gate/json.ts"
import { extracted, type Extracted } from "../memory/Extraction.ts"
import type { ModelService } from "../model/Model.ts"
import { noUsage } from "../model/ModelPart.ts"
import { untrusted } from "../redaction/untrusted.ts"
import { modelRouted } from "../agent/modelRouted.ts"
import { openModel, openRouted } from "../model/openModel.ts"
import { isDeepText, maxJsonDepth } from "../text/Json.ts"
import { ClientTools } from "../tool/ClientTools.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import type { Briefer } from "./Briefing.ts"
import type { CompactSession, InvokeTool, SubmitPrompt } from "./Command.ts"
import { TaskStarted } from "./RuntimeEvent.ts"
import { RuntimeOptions } from "./RuntimeOptions.ts"
import * as ManualCall from "./ManualCall.ts"
import * as WorkerPath from "../tool/WorkerPath.ts"
import type { ProjectTools } from "./Projects.ts"
import type { Recollection } from "./Recollection.ts"
import * as RootWorker from "./RootWorker.ts"
import type { Lease } from "./SessionStore.ts"
import type { TaskSink } from "./TaskSink.ts"
import { duration } from "../text/duration.ts"

/** The task took longer than a task may. */
export class TaskTimedOut extends Schema.TaggedError<TaskTimedOut>()("TaskTimedOut", { afterMillis: Schema.Number }) {
  override get message() {
    return `The task did not end within ${duration(this.afterMillis)} and was interrupted. Raise taskTimeout to allow more.`
  }
}

export type TaskError = WorkerError | ProfileError | TaskTimedOut

const keepInstruction =
  "From this exchange, list what will still matter in later conversations about the same project: facts, preferences and decisions of the " +
  "user, each in one sentence that makes sense by itself. One per line, as `- fact: …`, `- preference: …` or `- decision: …`. " +
  "Leave out what the files of the project say anyway, and anything secret. If there is nothing, answer NONE."

const outdated =
  "The conversation has gone on since this summary was made: nothing was replaced. Make a new one (/compact --edit)."

type Body = Effect.Effect<WorkerOutcome, TaskError>

/** What the tasks of a session do. */
export interface Tasks {
  readonly prompt: (sink: TaskSink, of: SubmitPrompt, profile: string) => Body
  readonly invoke: (sink: TaskSink, command: InvokeTool) => Body
  /** The gauge of the requests of its root worker. */
  readonly gauge: Gauge
  readonly compact: (sink: TaskSink, command: CompactSession, profile: string) => Body
}

export const makeTasks = (
  lease: Lease,
  view: ModelView,
  { tools, workers: named }: Pick<ProjectTools, "tools" | "workers">,
  briefer: Briefer,
  recollection: Recollection
): Effect.Effect<Tasks, never, Models> =>
  Effect.gen(function* () {
    const options = yield* RuntimeOptions
    const models = yield* Models
    const ids = yield* Ids
    const gauge = new Gauge()
    const clientTools = yield* ClientTools
    /** The summary that a person has been shown last, and the conversation that it is of. */
    let drafted: { readonly task: string; readonly generation: number; readonly count: number } | undefined

    /** One request beside the work of the task, on the same account. */
    const aside = (
      sink: WorkerSink,
      worker: WorkerPath.WorkerPath,
      model: ModelService,
      profile: string,
      messages: ReadonlyArray<StoredMessage>
    ) => {
      const { project, session } = lease
      const payer = { session, project, task: sink.task, worker, iteration: 1 }
      const chat = { spans: options.spans, sessionId: session, model }
      return Spans.chat(chat, answer(model, profile, { messages, functions: [], payer }, sink))
    }

    /** What the model takes from a task to be kept; nothing where it does not answer. */
    const toKeep = (
      sink: TaskSink,
      model: ModelService,
      profile: string,
      { prompt, text }: { readonly prompt: string; readonly text: string }
    ): Effect.Effect<ReadonlyArray<Extracted>> =>
      Effect.suspend(() => {
        const content = `${keepInstruction}\n\n${untrusted("the user", prompt)}\n${untrusted("the answer", text)}`
        const messages: ReadonlyArray<StoredMessage> = [{ id: "keep", message: { role: "user", content } }]
        return aside(sink.worker(WorkerPath.keeping), WorkerPath.keeping, model, profile, messages)
      }).pipe(
        Effect.map(({ calls, text }) => (calls.length > 0 ? [] : extracted(text))),
        Effect.catchAll(() => Effect.succeed([]))
      )

    return {
      gauge,
      prompt: (sink, { images = [], prompt, task, typed = "", weight }, asked) =>
        Effect.gen(function* () {
          const shown = images.length === 0 ? {} : { images }
          const message: StoredMessage = {
            id: yield* ids.next("message"),
            message: { role: "user", content: prompt, ...shown }
          }
          yield* sink.emit(new TaskStarted({ message }, trusted))
          const { project, session } = lease
          const context = { session, project, task, worker: "root", prompt }
          const opening = openRouted(models, { profile: asked, ...(weight === undefined ? {} : { weight }), context })
          const [routed, briefing] = yield* Effect.all([opening, briefer.begin(sink)], { concurrency: 2 })
          const { decision, model, profile } = routed
          yield* sink.worker(WorkerPath.root).emitAll(modelRouted(decision), 1)
          if (images.length > 0 && model.images !== true) {
            return yield* new ProfileInvalid({
              profile,
              key: "images",
              reason: `its model ${model.name} takes no images. Choose a profile whose model does.`
            })
          }
          const workers = named ?? options.workers
          const rebriefed = briefer.goOn(sink)
          const told = { briefing, rebriefed, gauge }
          const own = { session, project, options, profile, model, models, tools, workers, view, sink, ...told }
          yield* recollection.recall(sink, prompt)
          const outcome = yield* RootWorker.run({ ...own, before: briefer.news(sink) })
          const said = { prompt, text: outcome.text }
          yield* recollection.keep(sink, { task, typed }, toKeep(sink, model, profile, said))
          return outcome
        }),
      invoke: (sink, command) =>
        Effect.gen(function* () {
          yield* sink.emit(new TaskStarted({}, trusted))
          const callId = yield* ids.next("call")
          const worker = sink.worker(WorkerPath.root)
          const tool = tools.tools.get(command.tool)
          if (tool?.mode === "llm") {
            return yield* new TaskStopped({ reason: `${command.tool} can be called only by the model.` })
          }
          const text = Option.getOrUndefined(json(command.parameters ?? {}))
          if (text === undefined || isDeepText(text)) {
            const how = text === undefined ? "not JSON data" : `nested deeper than ${maxJsonDepth} levels`
            return yield* new TaskStopped({ reason: `The parameters of ${command.tool} are ${how}.` })
          }
          const call = {
            id: callId,
            type: "function" as const,
            function: { name: command.tool, arguments: text }
          }
          // A session may have calls of its user alone, and any number of them.
          return yield* Effect.ensuring(
            ManualCall.run(tools, worker, { session: lease.session }, call, command.apart === true),
            Effect.sync(() => view.trim(options.contextCharacters))
          )
        }),
      compact: (sink, { draft, instructions, summary, task }, asked) =>
        Effect.gen(function* () {
          yield* sink.emit(new TaskStarted({}, trusted))
          const { project, session } = lease
          const worker = sink.worker(WorkerPath.root)
          const { count, generation } = view
          if (count === 0) return yield* new TaskStopped({ reason: "There is nothing to summarise yet." })
          const systemPrompt = [options.systemPrompt, briefer.said()].filter((text) => text !== "").join("\n\n")
          const { functions: functionsOf } = RootWorker.toolsOf(tools, options, named ?? options.workers)
          const functions = functionsOf(yield* clientTools.declared(session))
          const fixed = fixedSize(systemPrompt, functions)
          if (summary !== undefined) {
            const isOf = drafted?.task === summary.draft && drafted.generation === generation && drafted.count === count
            if (!isOf) return yield* new TaskStopped({ reason: outdated })
            if (summary.text.trim() === "")
              return yield* new TaskStopped({ reason: "The summary is empty: nothing was replaced." })
            yield* sink.emit(yield* compacted(view, { text: summary.text, edited: true, gauge, fixed }))
            return { text: summary.text, usage: noUsage, iterations: 0 }
          }
          const model = yield* openModel(models, asked)
          const of = {
            sessionId: session,
            project,
            workerPath: WorkerPath.root,
            profile: asked,
            model,
            spans: options.spans,
            systemPrompt,
            functions,
            sink: worker.compaction(),
            gauge,
            contextCharacters: options.contextCharacters
          }
          const made = yield* summarise(of, view.window(options.contextCharacters), { instructions, iteration: 1 })
          if (draft === true) drafted = { task, generation, count }
          else yield* sink.emit(yield* compacted(view, { text: made.text, gauge, fixed }))
          return { ...made, iterations: 1 }
        })
    }
  })
