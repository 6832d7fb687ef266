import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Viewing } from "./Access.ts"
import { Gone, NotFound } from "./ApiError.ts"
import { EventStream, Query, Seq, SessionPath } from "./ApiSchema.ts"
import { base } from "./Base.ts"
import { Feed } from "./Feed.ts"
import { sessionFrames } from "./SessionStream.ts"
import * as Sse from "./Sse.ts"

/** An empty one says that there is none, as in HTML. */
const resuming = Schema.Struct({
  "last-event-id": Schema.optionalWith(Schema.Union(Schema.Literal(""), Seq), { exact: true })
})

/** After which event a reader goes on; nothing where it begins. */
const lastOf = ({ "last-event-id": last }: typeof resuming.Type): number | undefined => (last === "" ? undefined : last)

export const group = HttpApiGroup.make("streams")
  .add(
    HttpApiEndpoint.get("all", "/v1/events")
      .setUrlParams(
        Query({
          /** The number after which to begin, unless `Last-Event-ID` says it; what happens from now on if unset. */
          after: Schema.optionalWith(Seq, { exact: true })
        })
      )
      .setHeaders(resuming)
      .addSuccess(EventStream)
      .annotate(
        OpenApi.Description,
        "What happens in all sessions, without deltas, as Server-Sent Events: a snapshot with the open approvals, events under numbers of their own, and the open approvals whenever they change, also those of other processes."
      )
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.get("session", "/v1/sessions/:session/events")
      .setPath(SessionPath)
      .setUrlParams(
        Query({
          /** The number of the first event, unless `Last-Event-ID` says after which; 1 if unset. */
          from: Schema.optionalWith(Seq, { exact: true })
        })
      )
      .setHeaders(resuming)
      .addSuccess(EventStream)
      .addError(NotFound)
      .addError(Gone)
      .annotate(
        OpenApi.Description,
        "What happens in a session, as Server-Sent Events: a snapshot, the events from a number on, each under its number as id, and deltas without one. 410 names the last event where the number is beyond it."
      )
      .middleware(Viewing)
  )

export const live = HttpApiBuilder.group(base.add(group), "streams", (handlers) =>
  handlers
    .handleRaw("all", ({ headers, urlParams: { after } }) =>
      Effect.flatMap(Feed, ({ frames }) => Sse.respond(frames(lastOf(headers) ?? after)))
    )
    .handleRaw("session", ({ headers, path: { session }, urlParams: { from = 1 } }) => {
      const last = lastOf(headers)
      return Effect.flatMap(sessionFrames(session, last === undefined ? from : last + 1), Sse.respond)
    })
)
