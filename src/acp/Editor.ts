import {
  type AgentContext,
  type ClientCapabilities,
  type ClientRequestMethod,
  type ClientRequestParamsByMethod,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type CreateTerminalRequest,
  methods,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type TerminalExitStatus,
  type TerminalOutputResponse
} from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import { isReadonlyRecord } from "effect/Predicate"
import * as Schema from "effect/Schema"
import { cutWords } from "../text/excerpt.ts"
import { visibleLine } from "../text/visible.ts"
import { codes } from "./Refused.ts"

/** The editor did not carry out what it was asked for; unset `code` is one that has gone. */
export class EditorFailed extends Schema.TaggedError<EditorFailed>()("EditorFailed", {
  method: Schema.String,
  reason: Schema.String,
  code: Schema.optionalWith(Schema.Number, { exact: true })
}) {
  override get message() {
    return this.code === undefined
      ? "The editor has closed the connection."
      : `The request ${this.method} to the editor failed: ${this.reason}`
  }
}

/** The editor's answer is none of those that the protocol has for the method. */
export const malformed = (method: string): EditorFailed =>
  new EditorFailed({ method, reason: "its answer is malformed, or none of those offered", code: codes.invalidParams })

/** Characters of what an editor says of an error. */
const maxReason = 500

/** The editor's words as they are shown. */
export const reasonOf = ({ code, reason }: EditorFailed): string =>
  code === undefined ? "it has closed the connection" : cutWords(visibleLine(reason), maxReason).replace(/\.$/, "")

/** What an editor has said that it can do. */
export interface EditorCan {
  /** Shows forms; an empty capability names no mode, and so means no. */
  readonly forms: boolean
  readonly notices: boolean
  readonly compaction: boolean
  /** Gives agents the text of files, and writes it. */
  readonly reads: boolean
  readonly writes: boolean
  /** Runs commands in terminals that the person sees. */
  readonly terminals: boolean
}

export const canOf = ({ elicitation, fs, session, terminal }: ClientCapabilities = {}): EditorCan => ({
  forms: (elicitation?.form ?? undefined) !== undefined,
  notices: (session?.notices ?? undefined) !== undefined,
  compaction: (session?.compaction ?? undefined) !== undefined,
  reads: fs?.readTextFile === true,
  writes: fs?.writeTextFile === true,
  terminals: terminal === true
})

/** A terminal of an editor, by the session that it belongs to. */
export interface TerminalNamed {
  readonly sessionId: string
  readonly terminalId: string
}

/** The editor at the other end; what it is asked for is taken back where the question is interrupted. */
export interface Editor {
  readonly can: EditorCan
  /** Suspends until it is written: a slow editor slows down who tells it. */
  readonly update: (session: string, update: SessionUpdate) => Effect.Effect<void>
  readonly permission: (request: RequestPermissionRequest) => Effect.Effect<RequestPermissionResponse, EditorFailed>
  readonly form: (request: CreateElicitationRequest) => Effect.Effect<CreateElicitationResponse, EditorFailed>
  /** The text of a file as it is in the editor. */
  readonly readText: (session: string, path: string) => Effect.Effect<string, EditorFailed>
  /** Has the editor write and save a file. */
  readonly writeText: (session: string, path: string, content: string) => Effect.Effect<void, EditorFailed>
  /** Starts a program in a new terminal; gives the id of the terminal. */
  readonly createTerminal: (request: CreateTerminalRequest) => Effect.Effect<string, EditorFailed>
  /** Suspends until the program has ended. */
  readonly terminalExit: (terminal: TerminalNamed) => Effect.Effect<TerminalExitStatus, EditorFailed>
  readonly terminalOutput: (terminal: TerminalNamed) => Effect.Effect<TerminalOutputResponse, EditorFailed>
  readonly killTerminal: (terminal: TerminalNamed) => Effect.Effect<void, EditorFailed>
  /** Lets the editor forget a terminal, which ends what runs in it. */
  readonly releaseTerminal: (terminal: TerminalNamed) => Effect.Effect<void, EditorFailed>
}

const failed = (method: string) => (cause: unknown) =>
  cause instanceof RequestError
    ? new EditorFailed({ method, reason: cause.message, code: cause.code })
    : new EditorFailed({ method, reason: "" })

export const make = (client: AgentContext, can: EditorCan): Editor => {
  const { elicitation, fs, session, terminal } = methods.client
  /** What an editor answers with; one without anything in it where that is no object. */
  const ask = <Method extends ClientRequestMethod>(method: Method, params: ClientRequestParamsByMethod[Method]) =>
    Effect.map(
      Effect.tryPromise({
        try: (signal) => client.request(method, params, { cancellationSignal: signal, stopWaitingOnCancel: true }),
        catch: failed(method)
      }),
      (answer) => (isReadonlyRecord(answer) ? answer : ({} as typeof answer))
    )
  return {
    can,
    update: (sessionId, update) =>
      Effect.ignore(Effect.tryPromise(() => client.notify(session.update, { sessionId, update }))),
    permission: (request) => ask(session.requestPermission, request),
    form: (request) => ask(elicitation.create, request),
    readText: (sessionId, path) => Effect.map(ask(fs.readTextFile, { sessionId, path }), ({ content }) => content),
    writeText: (sessionId, path, content) => Effect.asVoid(ask(fs.writeTextFile, { sessionId, path, content })),
    createTerminal: (request) => Effect.map(ask(terminal.create, request), ({ terminalId }) => terminalId),
    terminalExit: (named) => ask(terminal.waitForExit, named),
    terminalOutput: (named) => ask(terminal.output, named),
    killTerminal: (named) => Effect.asVoid(ask(terminal.kill, named)),
    releaseTerminal: (named) => Effect.asVoid(ask(terminal.release, named))
  }
}
