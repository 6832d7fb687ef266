import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ProcessExit } from "../process/ProcessCommand.ts"
import { duration } from "../text/duration.ts"
import { cutWords } from "../text/excerpt.ts"
import { visibleLine } from "../text/visible.ts"
import { EditorTerminalFailed, type TerminalOfEditor, type TerminalOutput } from "../tools/shell/EditorTerminal.ts"
import { type Editor, type EditorFailed, reasonOf } from "./Editor.ts"
import type { Terminals } from "./Terminals.ts"

/** How long an editor may take to start a command, and to tell of one. */
const patience = Duration.seconds(30)
/** How long a call that is over waits for its command to be ended. */
const grace = Duration.seconds(2)

/** Characters of the name of a signal, and of a terminal. */
const maxSignal = 40
const maxId = 1000

type Operation = EditorTerminalFailed["operation"]

const failed = (operation: Operation, reason: string, outcome: EditorTerminalFailed["outcome"] = "unknown") =>
  new EditorTerminalFailed({ operation, reason, outcome })

/** What an editor says of an end; one that says nothing is as one that does not know. */
const exitOf = ({ exitCode, signal }: Effect.Effect.Success<ReturnType<Editor["terminalExit"]>>): ProcessExit => ({
  exitCode: typeof exitCode === "number" ? exitCode : null,
  signal: typeof signal === "string" && signal !== "" ? cutWords(visibleLine(signal), maxSignal) : null
})

const outputOf = ({
  output,
  truncated
}: Effect.Effect.Success<ReturnType<Editor["terminalOutput"]>>): Effect.Effect<TerminalOutput, EditorTerminalFailed> =>
  typeof output === "string"
    ? Effect.succeed({ text: output, truncated: truncated === true })
    : failed("output", "its answer has no text")

const asked =
  (operation: Operation) =>
  <A>(self: Effect.Effect<A, EditorFailed>): Effect.Effect<A, EditorTerminalFailed> =>
    Effect.mapError(self, (failure) => failed(operation, reasonOf(failure)))

/** Waits for the editor no longer than it may take. */
const bounded =
  (operation: Operation) =>
  <A, E>(self: Effect.Effect<A, E>) =>
    Effect.timeoutFail(self, {
      duration: patience,
      onTimeout: () => failed(operation, `it gave no answer within ${duration(Duration.toMillis(patience))}`)
    })

/** Waits for something that goes on by itself, no longer than that. */
const awaiting = (self: Effect.Effect<unknown>, time: Duration.Duration) =>
  Effect.raceFirst(Effect.interruptible(self), Effect.interruptible(Effect.sleep(time)))

/** The terminals of an editor for a session of it, `terminals` of which are shown; nothing where it has none. */
export const terminalOf = (editor: Editor, sessionId: string, terminals: Terminals): TerminalOfEditor | undefined => {
  if (!editor.can.terminals) return undefined
  const create = (request: Omit<Parameters<Editor["createTerminal"]>[0], "sessionId">) =>
    editor.createTerminal({ sessionId, ...request }).pipe(
      Effect.catchAll((failure) =>
        failed("start", reasonOf(failure), failure.code === undefined ? "unknown" : "not-run")
      ),
      Effect.filterOrFail(
        (id) => typeof id === "string" && id !== "" && id.length <= maxId,
        () => failed("start", "its answer names no terminal")
      )
    )
  const kill = (terminalId: string) => awaiting(Effect.ignore(editor.killTerminal({ sessionId, terminalId })), grace)
  const release = (terminalId: string) =>
    Effect.zipRight(terminals.unnamed(terminalId), Effect.ignore(editor.releaseTerminal({ sessionId, terminalId })))
  return {
    start: (call, { args, cwd, file }, limit) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.gen(function* () {
          let hasEnded = false
          // Nobody takes it back: what the editor has been asked to start is known to have started, and is ended.
          const created = yield* Effect.forkDaemon(
            create({ command: file, args: [...args], cwd, outputByteLimit: limit })
          )
          yield* Effect.addFinalizer(() =>
            Effect.gen(function* () {
              const ended = Effect.tap(Fiber.join(created), (id) => (hasEnded ? Effect.void : kill(id)))
              const ending = yield* Effect.forkDaemon(ended)
              yield* Effect.forkDaemon(Effect.ignore(Effect.flatMap(Fiber.join(ending), release)))
              yield* awaiting(ending.await, grace)
            })
          )
          const terminalId = yield* restore(bounded("start")(Fiber.join(created)))
          const named = { sessionId, terminalId }
          terminals.open(call, terminalId)
          return {
            exit: editor.terminalExit(named).pipe(
              Effect.tap(() => Effect.sync(() => (hasEnded = true))),
              Effect.map(exitOf),
              asked("wait")
            ),
            kill: bounded("end")(asked("end")(editor.killTerminal(named))),
            output: Effect.flatMap(bounded("output")(asked("output")(editor.terminalOutput(named))), outputOf)
          }
        })
      )
  }
}
