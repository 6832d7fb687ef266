import * as Schema from "effect/Schema"
import { bytes } from "../ui/Words.ts"

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

/** The editor sent a message longer than the connection takes, which has ended by that. */
export class EditorMessageTooLong extends Schema.TaggedError<EditorMessageTooLong>()("EditorMessageTooLong", {
  /** Bytes. */
  limit: Schema.Number
}) {
  override get message() {
    return `The editor sent a message of more than ${bytes(this.limit)}, which ended the connection; no part of it was carried out. Connect again, and leave out or link to what is long: what was said before is in the session.`
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
