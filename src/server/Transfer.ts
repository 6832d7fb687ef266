import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { exported, ExportFormat, extensions } from "../export/Export.ts"
import * as Import from "../import/Import.ts"
import { Operating, Viewing } from "./Access.ts"
import { Conflict, NotFound, Rejected } from "./ApiError.ts"
import { Project, Query, SessionPath } from "./ApiSchema.ts"
import { base } from "./Base.ts"
import { mayBegin } from "./mayBegin.ts"
import { placeOf } from "./placeOf.ts"
import { ofSession } from "./stored.ts"

const types: Readonly<Record<ExportFormat, string>> = {
  json: "application/json",
  markdown: "text/markdown; charset=utf-8",
  // A page that is kept as a file: shown here, it would be one of ours.
  html: "application/octet-stream"
}

const Format = Schema.Literal("json", "jsonl", "markdown", "html")

const Imported = Schema.Struct({
  session: Schema.String,
  format: Schema.String,
  title: Schema.String,
  messages: Schema.Number,
  warnings: Schema.Array(Schema.String)
})

export const group = HttpApiGroup.make("transfer")
  .add(
    HttpApiEndpoint.get("export", "/v1/sessions/:session/export")
      .setPath(SessionPath)
      .setUrlParams(Query({ format: Schema.optionalWith(ExportFormat, { exact: true }) }))
      .addSuccess(Schema.Unknown)
      .addError(NotFound)
      .annotate(
        OpenApi.Description,
        "A session as a document without secrets: json if no format is given, or markdown or html."
      )
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.post("import", "/v1/sessions/import")
      .setPayload(
        Schema.Struct({
          /** What the file holds. */
          text: Schema.String,
          /** Its name, for messages about it. */
          name: Schema.optionalWith(Schema.String.pipe(Schema.maxLength(256)), { exact: true }),
          /** Recognised if unset. */
          format: Schema.optionalWith(Format, { exact: true }),
          ...Project
        }).annotations({ identifier: "SessionImport", parseOptions: { onExcessProperty: "error" } })
      )
      .addSuccess(Imported, { status: 201 })
      .addError(NotFound)
      .addError(Conflict)
      .addError(Rejected)
      .annotate(
        OpenApi.Description,
        "Stores a conversation from elsewhere as a session: it grants nothing, and nothing of it runs. A project that has no session yet needs the scope approve as well."
      )
      .middleware(Operating)
  )

export const live = HttpApiBuilder.group(base.add(group), "transfer", (handlers) =>
  handlers
    .handleRaw("export", ({ path: { session }, urlParams: { format = "json" } }) =>
      Effect.gen(function* () {
        const text = yield* ofSession(exported(session, format))
        const name = `${session.replaceAll(/[^\w.-]/g, "_").slice(0, 100)}.${extensions[format]}`
        return HttpServerResponse.stream(Stream.encodeText(text), {
          contentType: types[format],
          headers: { "content-disposition": `attachment; filename="${name}"` }
        })
      })
    )
    .handle("import", ({ payload: { format, name = "the text", project, text } }) =>
      Effect.gen(function* () {
        const place = yield* placeOf(project)
        yield* mayBegin(place)
        const drafted = yield* Effect.mapError(
          Import.read(name, Stream.make(text), format),
          ({ _tag, message }) => new Rejected({ message, error: _tag })
        )
        return yield* ofSession(Import.store(drafted, place))
      })
    )
)
