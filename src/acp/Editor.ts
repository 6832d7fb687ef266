import {
  type AgentContext,
  type ClientCapabilities,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  methods,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate
} from "@agentclientprotocol/sdk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** The editor did not carry out what it was asked for; unset `code` is one that has gone. */
export class EditorFailed extends Schema.TaggedError<EditorFailed>()("EditorFailed", {
  method: Schema.String,
  reason: Schema.String,
  code: Schema.optionalWith(Schema.Number, { exact: true })
}) {
  override get message() {
    return this.code === undefined
      ? "The editor has closed the connection."
      : `The editor answered ${this.method} with an error: ${this.reason}`
  }
}

/** What an editor has said that it can do. */
export interface EditorCan {
  /** Shows forms; an empty capability names no mode, and so means no. */
  readonly forms: boolean
  readonly notices: boolean
  readonly compaction: boolean
  /** Gives agents the text of files, and writes it. */
  readonly reads: boolean
  readonly writes: boolean
}

export const canOf = ({ elicitation, fs, session }: ClientCapabilities = {}): EditorCan => ({
  forms: (elicitation?.form ?? undefined) !== undefined,
  notices: (session?.notices ?? undefined) !== undefined,
  compaction: (session?.compaction ?? undefined) !== undefined,
  reads: fs?.readTextFile === true,
  writes: fs?.writeTextFile === true
})

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
}

const failed = (method: string) => (cause: unknown) =>
  cause instanceof RequestError
    ? new EditorFailed({ method, reason: cause.message, code: cause.code })
    : new EditorFailed({ method, reason: "" })

export const make = (client: AgentContext, can: EditorCan): Editor => {
  const waits = (signal: AbortSignal) => ({ cancellationSignal: signal, stopWaitingOnCancel: true })
  return {
    can,
    update: (sessionId, update) =>
      Effect.ignore(Effect.tryPromise(() => client.notify(methods.client.session.update, { sessionId, update }))),
    permission: (request) =>
      Effect.tryPromise({
        try: (signal) => client.request(methods.client.session.requestPermission, request, waits(signal)),
        catch: failed(methods.client.session.requestPermission)
      }),
    form: (request) =>
      Effect.tryPromise({
        try: (signal) => client.request(methods.client.elicitation.create, request, waits(signal)),
        catch: failed(methods.client.elicitation.create)
      }),
    readText: (sessionId, path) =>
      Effect.tryPromise({
        try: (signal) => client.request(methods.client.fs.readTextFile, { sessionId, path }, waits(signal)),
        catch: failed(methods.client.fs.readTextFile)
      }).pipe(Effect.map(({ content }) => content)),
    writeText: (sessionId, path, content) =>
      Effect.tryPromise({
        try: (signal) => client.request(methods.client.fs.writeTextFile, { sessionId, path, content }, waits(signal)),
        catch: failed(methods.client.fs.writeTextFile)
      })
  }
}
