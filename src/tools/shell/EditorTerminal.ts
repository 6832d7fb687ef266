import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { ProcessCommand, ProcessExit } from "../../process/ProcessCommand.ts"
import type { ToolCall } from "../../tool/ToolCall.ts"

const did: Readonly<Record<"start" | "wait" | "end" | "output", string>> = {
  start: "start the command",
  wait: "say how the command ended",
  end: "end the command",
  output: "give the output of the command"
}

/** An editor did not run a command as it was asked to; `outcome` says what is known of the command. */
export class EditorTerminalFailed extends Schema.TaggedError<EditorTerminalFailed>()("EditorTerminalFailed", {
  operation: Schema.Literal("start", "wait", "end", "output"),
  reason: Schema.String,
  outcome: Schema.Literal("not-run", "unknown")
}) {
  override get message() {
    const known =
      this.outcome === "not-run"
        ? "It was not run."
        : "It may have run in part or whole, or run still: look at what it has done before you go on."
    return `The editor's terminal did not ${did[this.operation]}: ${this.reason}. ${known}`
  }
}

/** What a terminal has shown. */
export interface TerminalOutput {
  readonly text: string
  /** Whether its beginning is missing. */
  readonly truncated: boolean
}

/** A program in a terminal of its own. */
export interface RunningInTerminal {
  readonly exit: Effect.Effect<ProcessExit, EditorTerminalFailed>
  readonly kill: Effect.Effect<void, EditorTerminalFailed>
  readonly output: Effect.Effect<TerminalOutput, EditorTerminalFailed>
}

/** The terminal of an editor that a person works in. */
export interface TerminalOfEditor {
  /**
   * Runs a program for a call in a new terminal, which the editor shows with it. It is killed if it still runs when the scope closes, and the
   * terminal is let go; also where it is started only after that. `limit` is the most bytes of output that are wanted.
   */
  readonly start: (
    call: Pick<ToolCall, "callId" | "taskId" | "workerPath">,
    program: Pick<ProcessCommand, "file" | "args" | "cwd">,
    limit: number
  ) => Effect.Effect<RunningInTerminal, EditorTerminalFailed, Scope.Scope>
}

/** The terminal of the editor that a session is open in; unset where commands run here alone. */
export class EditorTerminal extends Context.Reference<EditorTerminal>()("tollgate/tools/shell/EditorTerminal", {
  defaultValue: (): TerminalOfEditor | undefined => undefined
}) {}
