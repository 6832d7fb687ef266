import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Host } from "../host/Host.ts"
import { Models } from "../model/Models.ts"
import { CreateSession } from "../runtime/Command.ts"
import type { Place } from "../runtime/Projects.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { Ids } from "../tool/Ids.ts"
import { Caller, Known, Operating, Viewing } from "./Access.ts"
import { Conflict, NotFound, Refusal, Rejected } from "./ApiError.ts"
import { EnvelopeJson, Limit, Query, Seq, SessionPath, Text } from "./ApiSchema.ts"
import { base } from "./Base.ts"
import { Answered, carryOut } from "./carryOut.ts"
import { mayBegin } from "./mayBegin.ts"
import { perform } from "./Perform.ts"
import { placeOf } from "./placeOf.ts"
import { PostedCommand } from "./PostedCommand.ts"
import { detailOf, infoOf, SessionDetail, SessionInfo } from "./SessionInfo.ts"
import { ofSession, stored } from "./stored.ts"

/** Events of one page of a log. */
const maxPage = 1000

const Created = Schema.Struct({
  /** Made if unset; a session of that id that there is already is opened instead. */
  id: Schema.optionalWith(CreateSession.fields.session, { exact: true }),
  /** A directory; where the server was started if unset. */
  project: Schema.optionalWith(CreateSession.fields.project, { exact: true }),
  profile: CreateSession.fields.profile,
  commandId: CreateSession.fields.commandId
}).annotations({ identifier: "NewSession", parseOptions: { onExcessProperty: "error" } })

export const group = HttpApiGroup.make("sessions")
  .add(
    HttpApiEndpoint.get("list", "/v1/sessions")
      .setUrlParams(
        Query({
          /** Only those of this directory. */
          project: Schema.optionalWith(Text, { exact: true }),
          /** Only those whose ids begin so. */
          beginning: Schema.optionalWith(Text, { exact: true }),
          limit: Limit(1000)
        })
      )
      .addSuccess(Schema.Struct({ sessions: Schema.Array(SessionInfo) }))
      .annotate(OpenApi.Description, "Sessions, the latest first; 100 if no limit is given.")
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.post("create", "/v1/sessions")
      .setPayload(Created)
      .addSuccess(SessionDetail, { status: 201 })
      .addError(Refusal)
      .annotate(
        OpenApi.Description,
        "Begins a session, or opens the one of that id; 409 says that it is of another project. A project that has no session yet, other than the server's own, needs the scope approve as well. Title, tasks and approvals are left out for a token without the scope view."
      )
      .middleware(Operating)
  )
  .add(
    HttpApiEndpoint.get("show", "/v1/sessions/:session")
      .setPath(SessionPath)
      .addSuccess(SessionDetail)
      .addError(NotFound)
      .annotate(OpenApi.Description, "A session with its open tasks and requests.")
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.del("delete", "/v1/sessions/:session")
      .setPath(SessionPath)
      .addSuccess(HttpApiSchema.NoContent)
      .addError(Refusal)
      .annotate(
        OpenApi.Description,
        "Deletes a session with all that belongs to it, but for what it has cost and its entries in the audit. 409 says that requests of it wait for an answer, or names the owner of a session that is open elsewhere."
      )
      .middleware(Operating)
  )
  .add(
    HttpApiEndpoint.get("log", "/v1/sessions/:session/log")
      .setPath(SessionPath)
      .setUrlParams(
        Query({
          /** The number of the first event; 1 if unset. */
          from: Schema.optionalWith(Seq, { exact: true }),
          limit: Limit(maxPage)
        })
      )
      .addSuccess(Schema.Struct({ head: Schema.Number, events: Schema.Array(EnvelopeJson) }))
      .addError(NotFound)
      .annotate(OpenApi.Description, "A page of the stored events of a session, in order.")
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.post("command", "/v1/sessions/:session/commands")
      .setPath(SessionPath)
      .setPayload(PostedCommand)
      .addSuccess(Answered, { status: 202 })
      .addError(Refusal)
      .annotate(
        OpenApi.Description,
        "Sends a command of the runtime and answers with the event that it led to. The id of a task, or commandId, makes a repetition harmless: it gets the first answer again. 409 names the owner of a session that is open elsewhere, or says that the id belongs to another command; 503 says that the queue is full."
      )
      .middleware(Known)
  )

/** Fails where there is a session of that id in another project, for it goes on in its own. */
const isOfProject = (session: string, { project }: Place) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    const before = yield* Effect.option(store.get(session))
    if (Option.isSome(before) && before.value.project !== project)
      return yield* new Conflict({
        message: `Session ${session} is of the project ${before.value.project}. Leave project out to open it there, or choose another id.`
      })
  })

/** Fails where a session would begin with a profile that no task of it could use. */
const isUsable = (profile: string) =>
  Effect.flatMap(Models, ({ get }) =>
    Effect.mapError(get(profile), ({ _tag: error, message }) =>
      error === "ProfileNotFound" ? new NotFound({ message, error }) : new Rejected({ message, error })
    )
  )

export const live = HttpApiBuilder.group(base.add(group), "sessions", (handlers) =>
  handlers
    .handle("list", ({ urlParams: { limit = 100, ...filter } }) =>
      Effect.gen(function* () {
        const store = yield* SessionStore
        const found = yield* stored(store.list({ limit, ...filter }))
        return { sessions: found.map(infoOf) }
      })
    )
    .handle("create", ({ payload: { id, project, ...more } }) =>
      Effect.gen(function* () {
        const { directory } = yield* Host
        const { name: by, scopes } = yield* Caller
        const session = id ?? (yield* (yield* Ids).next("session"))
        if (project !== undefined) {
          const place = yield* placeOf(project)
          if (id !== undefined) yield* isOfProject(id, place)
          yield* mayBegin(place)
        }
        if (more.profile !== undefined) yield* isUsable(more.profile)
        yield* perform({ _tag: "CreateSession", ...more, by, session, project: project ?? directory })
        const detail = yield* ofSession(detailOf(session))
        // Who may not see sessions learns that it is there, and nothing that was said in it.
        return scopes.includes("view") ? detail : { ...detail, title: "", tasks: [], approvals: [] }
      })
    )
    .handle("show", ({ path: { session } }) => ofSession(detailOf(session)))
    .handle("delete", ({ path: { session } }) =>
      Effect.asVoid(Effect.flatMap(Caller, ({ name: by }) => perform({ _tag: "DeleteSession", session, by })))
    )
    .handle("log", ({ path: { session }, urlParams: { from = 1, limit = maxPage } }) =>
      Effect.gen(function* () {
        const store = yield* SessionStore
        const { head } = yield* ofSession(store.get(session))
        return { head, events: yield* stored(store.read(session, from, limit)) }
      })
    )
    .handle("command", ({ path: { session }, payload }) => carryOut(session, payload))
)
