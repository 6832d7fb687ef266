import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { answer } from "../agent/answer.ts"
import type { WorkerSink } from "../agent/WorkerSink.ts"
import * as Spans from "../agent/Spans.ts"
import { TaskStopped, type WorkerError, type WorkerOutcome } from "../agent/Worker.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import { Models, type ProfileError } from "../model/Models.ts"
import { extracted, type Extracted } from "../memory/Extraction.ts"
import type { ModelService } from "../model/Model.ts"
import { untrusted } from "../redaction/untrusted.ts"
import { modelRouted } from "../agent/modelRouted.ts"
import { openModel, openRouted } from "../model/openModel.ts"
import { ModelMalformed } from "../model/ModelError.ts"
import { isDeepValue, maxJsonDepth } from "../text/Json.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import type { Briefer } from "./Briefing.ts"
import type { InvokeTool, SubmitPrompt } from "./Command.ts"
import { SessionCompacted, TaskStarted } from "./Event.ts"
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

const compactInstruction =
  "Summarise the conversation so far for yourself, so that the work can go on from the summary alone: the user's goals and " +
  "constraints, decisions, what was done with which files and commands, what is open. Answer with the summary only."

const keepInstruction =
  "From this exchange, list what will still matter in later conversations about the same project: facts, preferences and decisions of the " +
  "user, each in one sentence that makes sense by itself. One per line, as `- fact: …`, `- preference: …` or `- decision: …`. " +
  "Leave out what the files of the project say anyway, and anything secret. If there is nothing, answer NONE."

type Body = Effect.Effect<WorkerOutcome, TaskError>

/** What the tasks of a session do. */
export interface Tasks {
  readonly prompt: (sink: TaskSink, of: SubmitPrompt, profile: string) => Body
  readonly invoke: (sink: TaskSink, command: InvokeTool) => Body
  readonly compact: (sink: TaskSink, profile: string) => Body
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
        return aside(sink.worker(RootWorker.keepPath), RootWorker.keepPath, model, profile, messages)
      }).pipe(
        Effect.map(({ calls, text }) => (calls.length > 0 ? [] : extracted(text))),
        Effect.catchAll(() => Effect.succeed([]))
      )

    return {
      prompt: (sink, { prompt, task, typed = "", weight }, asked) =>
        Effect.gen(function* () {
          const message: StoredMessage = { id: yield* ids.next("message"), message: { role: "user", content: prompt } }
          yield* sink.emit(new TaskStarted({ message }, trusted))
          const { project, session } = lease
          const context = { session, project, task, worker: "root", prompt }
          const opening = openRouted(models, { profile: asked, ...(weight === undefined ? {} : { weight }), context })
          const [routed, briefing] = yield* Effect.all([opening, briefer.begin(sink)], { concurrency: 2 })
          const { decision, model, profile } = routed
          yield* sink.worker(WorkerPath.root).emitAll(modelRouted(decision), 1)
          const workers = named ?? options.workers
          const own = { session, project, options, profile, model, models, tools, workers, view, sink, briefing }
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
          if (isDeepValue(command.parameters)) {
            return yield* new TaskStopped({
              reason: `The parameters of ${command.tool} are nested deeper than ${maxJsonDepth} levels.`
            })
          }
          const call = {
            id: callId,
            type: "function" as const,
            function: { name: command.tool, arguments: JSON.stringify(command.parameters ?? {}) }
          }
          return yield* ManualCall.run(tools, worker, lease.session, call)
        }),
      compact: (sink, profile) =>
        Effect.gen(function* () {
          yield* sink.emit(new TaskStarted({}, trusted))
          const model = yield* openModel(models, profile)
          const instruction: StoredMessage = { id: "compact", message: { role: "user", content: compactInstruction } }
          const messages = [...view.window(options.contextCharacters), instruction]
          const path = RootWorker.compactPath
          const { calls, finished, text } = yield* aside(sink.worker(path), path, model, profile, messages)
          if (calls.length > 0 || text.trim() === "") {
            const reason = calls.length > 0 ? "it made calls instead of a summary" : "its summary is empty"
            return yield* new ModelMalformed({ model: model.name, reason })
          }
          const content = `Summary of the conversation so far:\n${text}`
          const message: StoredMessage = { id: yield* ids.next("message"), message: { role: "system", content } }
          view.clear()
          yield* sink.emit(new SessionCompacted({ message }, trusted))
          return { text, usage: finished.usage, iterations: 1 }
        })
    }
  })
