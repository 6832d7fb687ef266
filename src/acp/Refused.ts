import * as Schema from "effect/Schema"

/**
 * The codes of JSON-RPC and of the protocol that requests are refused with, and our own: `busy` for a session that another process has
 * or that has too much to do, `unready` for a configuration that is missing or broken, `failed` for what did not come about otherwise.
 */
export const codes = {
  invalidParams: -32602,
  internal: -32603,
  notFound: -32002,
  busy: -32010,
  unready: -32011,
  failed: -32012
} as const

/** A request of the editor that was not carried out; nothing of it was done. */
export class EditorRequestRefused extends Schema.TaggedError<EditorRequestRefused>()("EditorRequestRefused", {
  code: Schema.Number,
  reason: Schema.String.pipe(Schema.pattern(/\S/)),
  session: Schema.optionalWith(Schema.String, { exact: true })
}) {
  override get message() {
    return this.reason
  }
}

export const invalid = (reason: string): EditorRequestRefused =>
  new EditorRequestRefused({ code: codes.invalidParams, reason })

export const notOpen = (session: string): EditorRequestRefused =>
  new EditorRequestRefused({
    code: codes.notFound,
    reason: `Session ${session} is not open in this connection. Load or resume it first.`,
    session
  })

export const unknown = (session: string): EditorRequestRefused =>
  new EditorRequestRefused({ code: codes.notFound, reason: `Session ${session} does not exist.`, session })

/** The codes of failures by their tags; whatever else fails is no bug of Tollgate either, for bugs are defects. */
const codeOf: Readonly<Record<string, number>> = {
  SessionNotFound: codes.notFound,
  SessionBusy: codes.busy,
  SessionFenced: codes.busy,
  SessionWaits: codes.busy,
  TooManyTasks: codes.busy,
  ProjectGone: codes.invalidParams,
  ProfileNotFound: codes.invalidParams,
  PolicyNotAllowed: codes.invalidParams,
  ProfileInvalid: codes.unready,
  CredentialsMissing: codes.unready,
  ProjectUnavailable: codes.unready
}

const isRefused = Schema.is(EditorRequestRefused)

interface Failure {
  readonly _tag: string
  readonly message: string
  /** The tag of the error behind it. */
  readonly error?: string | undefined
}

/** Any failure as the editor is told of it. */
export const refusedBy =
  (session?: string) =>
  (failure: Failure): EditorRequestRefused => {
    if (isRefused(failure)) return failure
    const tag = failure.error ?? failure._tag
    const code = (Object.hasOwn(codeOf, tag) ? codeOf[tag] : undefined) ?? codes.failed
    return new EditorRequestRefused({ code, reason: failure.message, ...(session === undefined ? {} : { session }) })
  }
