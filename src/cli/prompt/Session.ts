import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { ApprovalPolicy } from "../../approval/ApprovalPolicy.ts"
import { Approvals } from "../../approval/Approvals.ts"
import type { Image } from "../../conversation/Image.ts"
import { Ledger } from "../../cost/Ledger.ts"
import { total } from "../../cost/totals.ts"
import * as Instructions from "../../host/Instructions.ts"
import {
  CancelTask,
  ClearSession,
  CompactSession,
  DetachCall,
  ForkSession,
  Interrupt,
  PreviewRewind,
  RenameSession,
  RewindSession,
  type SessionCommand,
  SetApprovalPolicy,
  SwitchModel
} from "../../runtime/Command.ts"
import type { Envelope } from "../../runtime/Envelope.ts"
import { isTerminal } from "../../runtime/Event.ts"
import { Runtime } from "../../runtime/Runtime.ts"
import { SessionStore } from "../../runtime/SessionStore.ts"
import type { TodoItem } from "../../tool/ToolEvent.ts"
import { isRewound } from "../../runtime/Rewound.ts"
import { lastTodos } from "../../runtime/lastTodos.ts"
import { isRoot, type WorkerPath } from "../../tool/WorkerPath.ts"
import { Ids } from "../../tool/Ids.ts"
import { trusted } from "../../tool/ToolEvent.ts"
import { invoke, submit } from "../../ui/Conversation.ts"
import * as WorkerTree from "../../ui/WorkerTree.ts"
import { present } from "../../ui/present.ts"
import { openSession } from "../openSession.ts"
import type { Chosen } from "../checkProfile.ts"
import type { Screen } from "../terminal/Screen.ts"
import { unread } from "../unreadInstructions.ts"
import { activity } from "./activity.ts"
import { importedPrompts, lookedThrough, promptsOf, rows } from "./Recap.ts"

/** What the prompt wants to know of its session. */
export interface Listener {
  /** Runs when a task has ended. */
  readonly ended: Effect.Effect<unknown>
  /** Runs for every event, before anything else is done about it. */
  readonly heard: (envelope: Envelope) => Effect.Effect<void>
}

/** Opens the session that the options name. */
export const open = (options: Chosen, { ended, heard }: Listener) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const approvals = yield* Approvals
    const store = yield* SessionStore
    const ledger = yield* Ledger
    const ids = yield* Ids
    const context = yield* Effect.context<Runtime>()
    const begun = yield* Clock.currentTimeMillis
    const opened = yield* openSession(options, true)
    const { project, session } = opened
    const isNew = !options.last && Option.isNone(options.session)
    /** What stood last in it, as rows of the screen. */
    const recap = (screen: Pick<Screen["Type"], "style" | "width">) =>
      isNew
        ? Effect.succeed([])
        : Effect.all({
            events: store.read(session, Math.max(1, opened.seq - lookedThrough), lookedThrough),
            begun: promptsOf(store, session),
            brought: importedPrompts(store, session),
            rewound: store.rewound(session)
          }).pipe(
            Effect.map(({ begun, brought, events, rewound }) =>
              rows(
                {
                  events: events.filter(({ seq }) => seq < opened.seq && !isRewound(rewound, seq)),
                  prompts: brought + begun.filter(({ seq }) => seq < opened.seq).length
                },
                screen
              )
            )
          )
    /** The status line shows the mode, and who asked for a command is answered: neither leaves rows behind. */
    const isToldElsewhere = ({ event }: Envelope): boolean =>
      event._tag === "ApprovalPolicySet" || (event._tag === "CommandRejected" && event.commandId !== undefined)
    const events = Stream.filterEffect(runtime.subscribe(session, { from: opened.seq }), (envelope) =>
      isToldElsewhere(envelope) ? Effect.as(heard(envelope), false) : Effect.succeed(true)
    )
    const shown = present(events, {
      decide: (decision) => Effect.ignore(runtime.send(decision)),
      inspect: approvals.inspect,
      answer: (answer) => Effect.ignore(runtime.send(answer)),
      after: (envelope, grown) =>
        Effect.suspend(() => {
          workers = grown
          if (envelope.event._tag === "SessionRewound") steps = undefined
          if (envelope.event._tag === "TodosChanged" && isRoot(envelope.worker)) steps = envelope.event.items
          const { event, task } = envelope
          if (event._tag === "TaskCompleted" && task !== undefined) completed = { task, text: event.text }
          return Effect.zipRight(heard(envelope), isTerminal(event) ? ended : Effect.void)
        })
    })
    let workers = WorkerTree.empty
    let steps: ReadonlyArray<TodoItem> | undefined
    let completed: { readonly task: string; readonly text: string } | undefined
    const send = (command: SessionCommand) => runtime.send(command)
    // What is charged from here on is heard of.
    const before = isNew
      ? []
      : yield* Effect.orElseSucceed(ledger.totals("session", { session, until: begun }), () => [])
    const { amount, unpriced } = total(before)
    const { profile } = yield* store.get(session)
    return {
      ...opened,
      recap,
      /** The profile of its next task. */
      profile,
      /** What it had cost before it was opened. */
      spent: { amount, unpriced: unpriced > 0 },
      /** Shows what happens in it. */
      shown,
      /** Sends any command about it. */
      send,
      /** Sets the mode, and fails where it cannot be set. */
      setMode: (policy: ApprovalPolicy) =>
        Effect.asVoid(runtime.request(new SetApprovalPolicy({ session, policy }, trusted))),
      /** `typed` is what of it the person has typed. */
      submit: (text: string, typed?: string, images: ReadonlyArray<Image> = []) =>
        Effect.provide(submit(opened, text, { typed, images }), context),
      /** Runs a tool for the person who asks, behind the same gate; its result enters the conversation. */
      invoke: (tool: string, parameters: unknown) => Effect.provide(invoke(opened, tool, parameters), context),
      directory: project.directory,
      activity: Effect.zipWith(project.instructions, activity(project.directory), (found, rows) => {
        const files = Instructions.summary(found, project)
        return [...(files === undefined ? [] : [`instructions: ${files}`]), ...unread(found), ...rows]
      }),
      /** The commands that go on after their calls. */
      background: {
        list: project.background.list(session),
        find: (id: string) => project.background.find(session, id),
        output: (id: string) => project.background.output(session, id),
        stop: (id: string) => project.background.stop(session, id)
      },
      /** The process that has taken it over. */
      takenBy: () => store.handover?.takenBy(session),
      /** Lets the commands that its task waits for go on in the background. */
      detach: runtime.request(new DetachCall({ session })),
      interrupt: Effect.ignore(send(new Interrupt({ session }))),
      /** The steps that its model has planned, in an earlier run as well. */
      todos: Effect.suspend(() =>
        steps === undefined
          ? Effect.flatMap(store.get(session), ({ head }) => lastTodos(store, session, head))
          : Effect.succeed(steps)
      ),
      /** The sub-workers of its last task. */
      workers: () => workers,
      cancelWorker: (worker: WorkerPath) => runtime.request(new Interrupt({ session, worker: [...worker] })),
      cancel: (task: string) => send(new CancelTask({ session, task })),
      /** Puts a summary in the place of the conversation, or makes the draft of one; gives the id of the task. */
      compact: (more: Pick<CompactSession, "draft" | "instructions" | "summary">) =>
        Effect.tap(ids.next("task"), (task) => send(new CompactSession({ session, task, ...more }))),
      /** What the task that was completed last has said. */
      completed: (task: string) => (completed?.task === task ? completed.text : undefined),
      clear: Effect.suspend(() => send(new ClearSession({ session }))),
      rename: (title: string) => runtime.request(new RenameSession({ session, title })),
      /** Its prompts that still count, the first one first, by the numbers of their events. */
      prompts: promptsOf(store, session),
      /** Copies it up to an event into a new session; gives the id of that. */
      fork: (last?: number) =>
        Effect.flatMap(ids.next("session"), (fork) =>
          Effect.as(runtime.request(new ForkSession({ session, fork, ...(last === undefined ? {} : { last }) })), fork)
        ),
      previewRewind: (to: number) =>
        Effect.map(runtime.request(new PreviewRewind({ session, to })), ({ event }) => event),
      rewind: (to: number, digest: string) => runtime.request(new RewindSession({ session, to, digest })),
      switchTo: (profile: string) => send(new SwitchModel({ session, profile }))
    }
  })

export type Session = Effect.Effect.Success<ReturnType<typeof open>>
