import * as Schema from "effect/Schema"

/** The codes of JSON-RPC and of the protocol that requests are refused with; `busy` is our own. */
export const codes = { invalidParams: -32602, internal: -32603, notFound: -32002, busy: -32010 } as const

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

/** What the editor asked for that cannot be: a directory, a mode or a model. */
const asked: ReadonlySet<string> = new Set([
  "ProjectGone",
  "ProfileNotFound",
  "ProfileInvalid",
  "CredentialsMissing",
  "PolicyNotAllowed"
])

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
    const code =
      tag === "SessionNotFound"
        ? codes.notFound
        : tag === "SessionBusy" || tag === "SessionFenced"
          ? codes.busy
          : asked.has(tag)
            ? codes.invalidParams
            : codes.internal
    return new EditorRequestRefused({ code, reason: failure.message, ...(session === undefined ? {} : { session }) })
  }
