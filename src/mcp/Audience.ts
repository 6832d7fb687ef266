import type {
  ClientCapabilities,
  InputRequest,
  InputResponse,
  LoggingLevel,
  LoggingMessageNotification,
  Progress
} from "@modelcontextprotocol/client"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { progress, type ToolCall } from "../tool/ToolCall.ts"

/** What a server needs before it can answer, each under a key of its own: a form, a page, a text of a model, the roots. */
export type Inquiries = Readonly<Record<string, InputRequest>>

/** What was answered, under the same keys. */
export type Answers = Readonly<Record<string, InputResponse>>

/** A log message of a server. */
export type LogMessage = LoggingMessageNotification["params"]

/** How far a server is, by its own word. */
export type ServerProgress = Progress

/** Why a server has not answered, as the protocol has it. */
export interface Refusal {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Who has made a request: hears what the server says until it is answered, and is asked what it needs. */
export interface Audience {
  /** Requests with the same key are those of one person, who may be asked through any of them. */
  readonly key: string
  /** What it can be asked for. */
  readonly capabilities: ClientCapabilities
  /** The least of the server's log messages that it wants; none if unset. */
  readonly logLevel?: LoggingLevel | undefined
  readonly hear: (progress: ServerProgress) => void
  readonly log: (message: LogMessage) => void
  /** The answers that there are; none to what it cannot be asked. */
  readonly ask: (inquiries: Inquiries) => Effect.Effect<Answers>
  /** The server has answered with an error. */
  readonly refused: (refusal: Refusal) => void
}

/** What is answered to a form that nobody sees. */
export const declined: InputResponse = { action: "decline" }

/** Hears nothing and declines every form. */
export const nobody: Audience = {
  key: "",
  capabilities: {},
  hear: () => {},
  log: () => {},
  refused: () => {},
  ask: (inquiries) => Effect.succeed(Object.fromEntries(Object.keys(inquiries).map((key) => [key, declined])))
}

/** Whom a call asks, which says meanwhile that it waits for a person: its idle timeout is not for that. */
export const patiently = (call: ToolCall, audience: Audience): Audience => ({
  ...audience,
  ask: (inquiries) =>
    Effect.raceFirst(
      audience.ask(inquiries),
      Effect.forever(Effect.delay(progress(call, { label: "waits for an answer to its server" }), "10 seconds"))
    )
})

/** Who has made the request of a call. */
export class Addressee extends Context.Reference<Addressee>()("tollgate/mcp/Addressee", {
  defaultValue: (): Audience => nobody
}) {}
