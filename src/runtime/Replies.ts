import * as Effect from "effect/Effect"
import { trusted } from "../tool/ToolEvent.ts"
import { causeOf, type Command } from "./Command.ts"
import { CommandPerformed, CommandRejected } from "./RuntimeEvent.ts"
import type { EventLog } from "./EventLog.ts"

/** What an answer says of a command. */
type Sent = Pick<Command, "by" | "commandId"> & { readonly _tag: string }

/** The answers to commands that no event of their own tells of. */
export interface Replies {
  /** Says why a command was not carried out; `error` is the tag of the error behind it. */
  readonly reject: (command: Sent, reason: string, error?: string) => Effect.Effect<void>
  /** Says that a command was carried out, to the sender who named it. */
  readonly done: (command: Command) => Effect.Effect<void>
}

export const make = (log: EventLog): Replies => ({
  reject: (command, reason, error) => {
    const why = error === undefined ? {} : { error }
    return log.emit(new CommandRejected({ command: command._tag, reason, ...why, ...causeOf(command) }, trusted), {})
  },
  done: (command) =>
    command.commandId === undefined
      ? Effect.void
      : log.emit(new CommandPerformed({ ...causeOf(command), command: command._tag }, trusted), {})
})
