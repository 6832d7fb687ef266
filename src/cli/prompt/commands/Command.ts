import type * as Effect from "effect/Effect"
import type { ApprovalPolicy } from "../../../approval/ApprovalPolicy.ts"
import type { Configuration } from "../../../config/Configuration.ts"
import type { Services } from "../../../host/Host.ts"
import type { Surroundings } from "../../../host/Surroundings.ts"
import type { Level } from "../../../ui/Display.ts"
import type { Ui } from "../../../ui/Ui.ts"
import type { Suggestion } from "../../terminal/Palette.ts"
import type { Form } from "../../terminal/Form.ts"
import type { Keyboard } from "../../terminal/Keyboard.ts"
import type { Region } from "../../terminal/Region.ts"
import type { Screen } from "../../terminal/Screen.ts"
import type { Session } from "../Session.ts"

/** What commands can use besides the prompt. */
export type CommandServices = Services | Configuration | Surroundings | Screen | Region | Keyboard | Form | Ui

/** Why a command was not carried out; its message is shown. */
export interface CommandFailed {
  readonly message: string
}

export type Carried<A = void> = Effect.Effect<A, CommandFailed, CommandServices>

/** The prompt at which a command is typed. */
export interface Prompt {
  readonly say: (text: string, level?: Level) => Effect.Effect<void>
  /** The open session; nothing before the first prompt. */
  readonly current: () => Session | undefined
  /** The open session, which is created where there is none. */
  readonly session: Carried<Session>
  readonly isRunning: () => boolean
  /** Waits for the end of the task that `begin` sends off, which is shown meanwhile. */
  readonly task: (begin: (session: Session) => Carried<unknown>) => Carried
  /** Puts a text where prompts are typed, to be changed and sent; not where something is typed already. */
  readonly draft: (text: string) => Effect.Effect<void>
  /** Sends text as a prompt, as if it had been typed. */
  readonly submit: (text: string) => Carried
  readonly profile: () => string
  readonly mode: () => ApprovalPolicy
  /** Switches the mode for every later decision of the session, also of one that is still to be created. */
  readonly setMode: (mode: ApprovalPolicy) => Carried
  /** Where commands run, in words. */
  readonly sandbox: () => string
  /** The directory in which sessions begin. */
  readonly directory: string
  readonly quit: Effect.Effect<void>
  /** Leaves this session and goes on in another. */
  readonly resume: (session: string) => Effect.Effect<void>
}

/** What commands stand together in the help, in its order. */
export const groups = ["session", "work", "approvals", "tools", "settings", "files"] as const
export type Group = (typeof groups)[number]

/**
 * A slash command as a value; it is never sent to the model. To add one, write it in a file of this folder as
 * `command({ name, group, summary, run })` and put it into the list of `Commands.ts`: help, palette, completion and suggestions
 * follow from the value. A line is split at the first blank behind the name; the rest reaches `run` as it was typed.
 */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string
  readonly aliases?: ReadonlyArray<string>
  readonly group: Group
  /** What it does, in an imperative phrase. */
  readonly summary: string
  /** Its arguments as help shows them, e.g. `[NAME]`. */
  readonly arguments?: string
  /** What help says beyond the summary. */
  readonly details?: string
  /** What the last word of its arguments can be; `typed` are those that stand there, the last one perhaps half. */
  readonly complete?: (typed: ReadonlyArray<string>, prompt: Prompt) => Carried<ReadonlyArray<Suggestion>>
  /** Whether it runs while a task does; otherwise it is refused then. */
  readonly duringTask?: boolean
  readonly run: (argument: string, prompt: Prompt) => Carried<unknown>
}

export const command = (given: SlashCommand): SlashCommand => given
