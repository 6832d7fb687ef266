import * as Effect from "effect/Effect"
import type { ApprovalPolicy } from "../approval/ApprovalPolicy.ts"
import { MessageRecorded } from "../agent/AgentEvent.ts"
import type { StoredMessage } from "../conversation/Message.ts"
import type { ModelView } from "../conversation/ModelView.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { Ids } from "../tool/Ids.ts"
import { Notified, trusted } from "../tool/ToolEvent.ts"
import * as WorkerPath from "../tool/WorkerPath.ts"
import { type InstructionFile, InstructionsRead } from "./RuntimeEvent.ts"
import type { TaskSink } from "./TaskSink.ts"

/** One thing that a model is told; it is told again where `key` changes, or the text if there is none. */
export interface Section {
  readonly name: string
  readonly text: string
  readonly key?: string
}

/** What a model is told of where it works. */
export interface Briefing {
  /** The same names each time, in order; one without text has nothing to say. */
  readonly sections: ReadonlyArray<Section>
  /** The files that parts of it come from. */
  readonly files: ReadonlyArray<InstructionFile>
  /** What could not be read, and why. */
  readonly problems: ReadonlyArray<string>
}

/** The briefing as it is now, under a mode. */
export type Brief = (policy: ApprovalPolicy) => Effect.Effect<Briefing>

/** Briefs the model of one session at the beginning of each task. */
export interface Briefer {
  /** What follows the system prompt; what has changed since it was first said is added to the conversation. */
  readonly begin: (sink: TaskSink) => Effect.Effect<string>
  /** Tells the root worker what has happened meanwhile, before each request. */
  readonly news: (sink: TaskSink) => (iteration: number) => Effect.Effect<void>
  /** What follows the system prompt as it was said last. */
  readonly said: () => string
  /** What follows the system prompt of a task that goes on in the middle. */
  readonly goOn: (sink: TaskSink) => Effect.Effect<string>
}

const noteIds = "briefing"

/** Said where an older note of the conversation could contradict the system message. */
const superseded =
  "The session was opened again. The first message tells what holds now; earlier notes on directory, git, mode, sandbox and instructions no longer do."

const render = (sections: ReadonlyArray<Section>): string =>
  sections.flatMap(({ text }) => (text === "" ? [] : [text])).join("\n\n")

const keyOf = ({ key, text }: Section): string => key ?? text

interface Told {
  readonly head: string
  readonly keys: ReadonlyMap<string, string>
  readonly files: string
  /** `ModelView.generation` of the conversation that it was said in. */
  readonly generation: number
}

const filesKey = (files: ReadonlyArray<InstructionFile>): string =>
  JSON.stringify(files.map(({ path, sha256 }) => [path, sha256]))

/**
 * What was said first stays as it is, so that a provider's cache of the conversation holds; changes follow as notes. It is said
 * anew where the conversation was cleared or has left the window.
 */
export const make = (
  brief: Brief | undefined,
  policy: Effect.Effect<ApprovalPolicy>,
  view: ModelView,
  contextCharacters: number,
  /** What has happened meanwhile, each once. */
  news: () => ReadonlyArray<string>
): Effect.Effect<Briefer> =>
  Effect.gen(function* () {
    const { text: redacted } = yield* Redactor
    const ids = yield* Ids
    let told: Told | undefined
    let outdated = view.all.some(({ id }) => id.startsWith(noteIds))
    const problems = new Set<string>()

    const note = (sink: TaskSink, content: string, prefix = noteIds, iteration = 1) =>
      Effect.flatMap(ids.next(prefix), (id) => {
        const message: StoredMessage = { id, message: { role: "system", content } }
        return sink.worker(WorkerPath.root).emit(new MessageRecorded({ message }, trusted), iteration)
      })

    const current = (sink: TaskSink, given: Brief) =>
      Effect.gen(function* () {
        const now = yield* given(yield* policy)
        for (const problem of now.problems.filter((one) => !problems.has(one))) {
          problems.add(problem)
          const warning = {
            level: "warning",
            title: "Instructions not read",
            message: problem,
            durationMillis: 0
          } as const
          yield* sink.worker(WorkerPath.root).emit(new Notified(warning, trusted), 1)
        }
        const files = filesKey(now.files)
        if (files !== (told?.files ?? filesKey([])))
          yield* sink.emit(new InstructionsRead({ files: now.files }, trusted))
        const keys = new Map(now.sections.map((section) => [section.name, keyOf(section)]))
        const before = told
        const stands = before?.generation === view.generation && view.count <= view.window(contextCharacters).length
        const head = before !== undefined && stands ? before.head : redacted(render(now.sections))
        told = { head, keys, files, generation: view.generation }
        const changed = now.sections.filter(
          (section) => before !== undefined && before.keys.get(section.name) !== keyOf(section)
        )
        return { head, changed: stands ? changed : [] }
      })

    return {
      said: () => (told?.generation === view.generation ? told.head : ""),
      news: (sink) => (iteration) =>
        Effect.suspend(() => {
          const told = news()
          return told.length === 0 ? Effect.void : note(sink, told.join("\n"), "message", iteration)
        }),
      begin: (sink) =>
        brief === undefined
          ? Effect.succeed("")
          : Effect.gen(function* () {
              const { changed, head } = yield* current(sink, brief)
              if (outdated) yield* note(sink, superseded)
              outdated = false
              if (changed.length > 0) {
                const gone = changed.filter(({ text }) => text === "").map(({ name }) => `No ${name} any more.`)
                yield* note(
                  sink,
                  ["This has changed:", render(changed), ...gone].filter((one) => one !== "").join("\n\n")
                )
              }
              return head
            }),
      goOn: (sink) => (brief === undefined ? Effect.succeed("") : Effect.map(current(sink, brief), ({ head }) => head))
    }
  })
