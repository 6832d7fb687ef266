import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import type { Envelope } from "../runtime/Envelope.ts"
import { ApprovalRequest } from "../tool/ApprovalRequest.ts"

/** A text that a database can look for. */
export const Text = Schema.String.pipe(
  Schema.filter((text) => !text.includes("\0"), { message: () => "the character U+0000 is in no text that is stored" })
)

/** What a path names. */
export const Named = Text.pipe(Schema.nonEmptyString(), Schema.maxLength(256))

/** A session by its id, in a path. */
export const SessionPath = Schema.Struct({ session: Named })

/** A count in a query, from 1 to `most`. */
export const Limit = (most: number) =>
  Schema.optionalWith(Schema.NumberFromString.pipe(Schema.int(), Schema.between(1, most)), { exact: true })

/** The parameters of a query; any other name is a mistake, as it is in a body. */
export const Query = <Fields extends Schema.Struct.Fields>(fields: Fields): Schema.Struct<Fields> =>
  Schema.Struct(fields).annotations({ parseOptions: { onExcessProperty: "error" } })

/** The number of an event in a query or a header. */
export const Seq = Schema.NumberFromString.pipe(Schema.int(), Schema.between(0, Number.MAX_SAFE_INTEGER))

/**
 * An envelope as it was stored, whose event may be of a later version; it is passed on as its own JSON. The document has the
 * schema of docs/events.schema.json in its place.
 */
export const EnvelopeJson: Schema.Schema<Envelope> = Schema.declare(
  (input): input is Envelope => typeof input === "object" && input !== null && "event" in input,
  { identifier: "Envelope", jsonSchema: { type: "object", required: ["version", "seq", "time", "session", "event"] } }
)

/** An open approval request of any session. */
export const WaitingApproval = Schema.Struct({
  project: Schema.String,
  request: ApprovalRequest,
  /** How many are shown before it, where its session is open here. */
  ahead: Schema.optionalWith(Schema.Number, { exact: true }),
  /** The answer that counts once its session goes on. */
  answered: Schema.optionalWith(
    Schema.Struct({ decision: Schema.Literal("approve", "deny", "edit"), by: Schema.String }),
    {
      exact: true
    }
  )
})
export type WaitingApproval = typeof WaitingApproval.Type

/** A stream of frames, as `text/event-stream`. */
export const EventStream = Schema.String.pipe(
  HttpApiSchema.withEncoding({ kind: "Text", contentType: "text/event-stream" })
)

/** A directory, of the server's machine; where the server was started if unset. */
export const Project = {
  project: Schema.optionalWith(Text.pipe(Schema.maxLength(4096)), { exact: true })
}
