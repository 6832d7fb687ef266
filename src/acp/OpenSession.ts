import type { PromptResponse, SessionUpdate, StopReason } from "@agentclientprotocol/sdk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberMap from "effect/FiberMap"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { Approvals } from "../approval/Approvals.ts"
import type { FinishReason } from "../model/ModelPart.ts"
import { CancelTask, ClearSession, CompactSession, Interrupt, RenameSession, SubmitPrompt } from "../runtime/Command.ts"
import type { Envelope } from "../runtime/Envelope.ts"
import { isTerminal, type TerminalEvent } from "../runtime/Event.ts"
import { Runtime } from "../runtime/Runtime.ts"
import { Ids } from "../tool/Ids.ts"
import { trusted } from "../tool/ToolEvent.ts"
import { isRoot } from "../tool/WorkerPath.ts"
import type { Approval } from "../ui/Display.ts"
import { paced } from "../ui/paced.ts"
import * as Asking from "./Asking.ts"
import type { Commands } from "./Commands.ts"
import type { Editor } from "./Editor.ts"
import { block } from "./fenced.ts"
import type { Prompt } from "./PromptContent.ts"
import { codes, EditorRequestRefused, refusedBy } from "./Refused.ts"
import type { Terminals } from "./Terminals.ts"
import type { Told } from "./Told.ts"
import type { Updates } from "./Updates.ts"

const reasons: Readonly<Record<FinishReason, StopReason>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "end_turn",
  content_filter: "refusal",
  other: "end_turn"
}

/** How a task has ended, as the answer to its prompt. */
const answerOf = (end: TerminalEvent, finish: FinishReason): Effect.Effect<PromptResponse, EditorRequestRefused> => {
  switch (end._tag) {
    case "TaskCompleted":
      return Effect.succeed({ stopReason: reasons[finish] })
    case "TaskInterrupted":
      return Effect.succeed({ stopReason: "cancelled" })
    case "TaskFailed":
      return end.error === "IterationLimitReached"
        ? Effect.succeed({ stopReason: "max_turn_requests" })
        : new EditorRequestRefused({ code: end.kind === "defect" ? codes.internal : codes.failed, reason: end.message })
  }
}

export interface OpenOptions {
  readonly session: string
  readonly directory: string
  readonly editor: Editor
  readonly updates: Updates
  /** Where its calls run that the editor runs. */
  readonly terminals: Terminals
  /** The number of the first event that happens now. */
  readonly from: number
  /** The tasks that the editor has asked for. */
  readonly own: Set<string>
  /** A request that waits already. */
  readonly asked?: Approval | undefined
  readonly commands: Commands
  /** What the session can be set to, and is by now. */
  readonly options: Effect.Effect<SessionUpdate, EditorRequestRefused>
}

/** A session that the editor has open. */
export interface OpenSession {
  readonly session: string
  readonly directory: string
  /** Suspends until the task has ended and all of it was told; `cancelled` ends it. */
  readonly prompt: (
    prompt: Prompt,
    cancelled: Effect.Effect<void>
  ) => Effect.Effect<PromptResponse, EditorRequestRefused>
  /** Ends everything that goes on in it. */
  readonly cancel: Effect.Effect<void>
  /** Returns once nothing goes on in it. */
  readonly quiet: Effect.Effect<void>
  /** Tells what happens, until the session is closed here. */
  readonly watch: Effect.Effect<void, never, Scope.Scope>
}

/** Tells the editor what happens in a session, asks it where a person is asked, and takes its prompts. */
export const make = ({
  asked: before,
  commands,
  directory,
  editor,
  from,
  options,
  own,
  session,
  terminals,
  updates
}: OpenOptions) =>
  Effect.gen(function* () {
    const runtime = yield* Runtime
    const ids = yield* Ids
    const { inspect } = yield* Approvals
    const asking = Asking.make({ session, directory, editor, inspect })
    const waiting = new Map<string, Deferred.Deferred<PromptResponse, EditorRequestRefused>>()
    /** Why the model of each task has stopped last. */
    const finishes = new Map<string, FinishReason>()
    /** The tasks that have not ended. */
    const running = new Set<string>()
    let moved = Effect.unsafeMakeLatch(false)
    const quiet: Effect.Effect<void> = Effect.suspend(() =>
      running.size === 0 ? Effect.void : Effect.zipRight(moved.await, quiet)
    )
    const send = (command: Parameters<typeof runtime.send>[0]) => Effect.ignoreLogged(runtime.request(command))

    const watch = Effect.gen(function* () {
      const questions = yield* FiberMap.make<string>()
      let asked: string | undefined
      const perform = (told: Told): Effect.Effect<unknown> => {
        switch (told._tag) {
          case "Update":
            return Effect.tap(editor.update(session, told.update), () => told.over && terminals.over(told.over))
          case "Options":
            return Effect.ignoreLogged(Effect.flatMap(options, (update) => editor.update(session, update)))
          case "Ask": {
            asked = told.approval.request.id
            return FiberMap.run(
              questions,
              asked,
              Effect.flatMap(asking.decision(told.approval), (command) =>
                command === undefined ? Effect.void : Effect.uninterruptible(send(command))
              )
            )
          }
          case "Asked":
            return asked === undefined ? Effect.void : FiberMap.remove(questions, asked)
          case "ClientCall":
            return FiberMap.run(
              questions,
              told.call?.key ?? told.request.requestId,
              Effect.flatMap(asking.answer(told.request), send)
            )
          case "ClientCallEnded":
            return FiberMap.remove(questions, told.call.key)
        }
      }
      const heard = ({ event, task = "", worker }: Envelope) =>
        Effect.suspend(() => {
          if (event._tag === "ModelAnswered" && isRoot(worker)) finishes.set(task, event.finish)
          if (event._tag === "TaskQueued") running.add(task)
          if (event._tag === "SessionResumed" && event.goesOn !== undefined) running.add(event.goesOn.task)
          if (!isTerminal(event)) return Effect.void
          running.delete(task)
          const changed = moved
          moved = Effect.unsafeMakeLatch(false)
          changed.unsafeOpen()
          const answer = waiting.get(task)
          const finish = finishes.get(task) ?? "stop"
          waiting.delete(task)
          finishes.delete(task)
          own.delete(task)
          return answer === undefined ? Effect.void : Deferred.complete(answer, answerOf(event, finish))
        })
      const tell = (all: ReadonlyArray<Told>) => Effect.forEach(all, perform, { discard: true })
      if (before !== undefined) yield* perform({ _tag: "Ask", approval: before })
      yield* Stream.runForEachChunk(paced(runtime.subscribe(session, { from })), (chunk) =>
        Effect.zipRight(
          Effect.forEach(
            chunk,
            (envelope) =>
              Effect.zipRight(
                Effect.suspend(() => tell(updates.tell(envelope))),
                heard(envelope)
              ),
            { discard: true }
          ),
          Effect.suspend(() => tell(updates.flush()))
        )
      ).pipe(Effect.catchAll((error) => Effect.logError("A session cannot be watched", error.message)))
      const reason = `Session ${session} was closed, or another process has taken it over. Load it to go on.`
      for (const answer of waiting.values())
        yield* Deferred.fail(answer, new EditorRequestRefused({ code: codes.busy, reason, session }))
      waiting.clear()
    })

    /** Waits for the end of a task, which `cancelled` brings about. */
    const ended = (command: (task: string) => CompactSession | SubmitPrompt, cancelled: Effect.Effect<void>) =>
      Effect.gen(function* () {
        const task = yield* ids.next("task")
        const answer = yield* Deferred.make<PromptResponse, EditorRequestRefused>()
        waiting.set(task, answer)
        own.add(task)
        yield* Effect.onError(Effect.mapError(runtime.request(command(task)), refusedBy(session)), () =>
          Effect.sync(() => {
            waiting.delete(task)
            own.delete(task)
          })
        )
        yield* Effect.forkScoped(Effect.zipRight(cancelled, send(new CancelTask({ session, task }, trusted))))
        return yield* Deferred.await(answer)
      }).pipe(Effect.scoped)

    const endTurn: PromptResponse = { stopReason: "end_turn" }
    const say = (text: string) =>
      Effect.as(editor.update(session, { sessionUpdate: "agent_message_chunk", content: block(text) }), endTurn)
    const submit = ({ context, images, said, typed }: Prompt, cancelled: Effect.Effect<void>) => {
      const shown = images.length === 0 ? {} : { images }
      return ended(
        (task) => new SubmitPrompt({ session, task, prompt: said + context, typed, ...shown }, trusted),
        cancelled
      )
    }
    const done = (command: ClearSession | RenameSession, text: string) =>
      Effect.flatMap(Effect.mapError(runtime.request(command), refusedBy(session)), () => say(text))
    const prompt: OpenSession["prompt"] = (given, cancelled) =>
      Effect.suspend(() => {
        const meant = commands.meant(given.said)
        switch (meant?._tag) {
          case undefined:
            return submit(given, cancelled)
          case "Prompt":
            return submit({ ...given, said: meant.text, typed: "" }, cancelled)
          case "Compact": {
            const { instructions } = meant
            const more = instructions === undefined ? {} : { instructions }
            return ended((task) => new CompactSession({ session, task, ...more }, trusted), cancelled)
          }
          case "Clear":
            return done(new ClearSession({ session }, trusted), "The model's context is cleared; the log keeps it.")
          case "Rename":
            return done(new RenameSession({ session, title: meant.title }, trusted), "The session has its new title.")
          case "Say":
            return say(meant.text)
        }
      })

    return {
      session,
      directory,
      prompt,
      quiet,
      cancel: send(new Interrupt({ session }, trusted)),
      watch
    } satisfies OpenSession
  })
