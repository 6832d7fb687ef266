import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Approvals } from "../approval/Approvals.ts"
import { Approving, Caller, Viewing } from "./Access.ts"
import { Refusal } from "./ApiError.ts"
import { EnvelopeJson, Query, SessionPath } from "./ApiSchema.ts"
import { base } from "./Base.ts"
import { perform } from "./Perform.ts"

const Grant = Schema.Struct({
  id: Schema.String,
  session: Schema.String,
  scope: Schema.Literal("task", "session"),
  /** Whose calls it covers. */
  workers: Schema.Literal("root", "sub-workers"),
  tool: Schema.String,
  /** What it covers, in words. */
  words: Schema.String
})

export const group = HttpApiGroup.make("grants")
  .add(
    HttpApiEndpoint.get("list", "/v1/grants")
      .setUrlParams(Query({ session: Schema.optionalWith(Schema.String, { exact: true }) }))
      .addSuccess(Schema.Struct({ grants: Schema.Array(Grant) }))
      .annotate(OpenApi.Description, "What was granted in the sessions that are open here, and still holds.")
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.del("revoke", "/v1/sessions/:session/grants/:grant")
      .setPath(Schema.Struct({ ...SessionPath.fields, grant: Schema.String.pipe(Schema.maxLength(256)) }))
      .addSuccess(Schema.Struct({ session: Schema.String, seq: Schema.Number, answer: EnvelopeJson }))
      .addError(Refusal)
      .annotate(OpenApi.Description, "Takes back a grant of a session, or a rule that was saved for its project.")
      .middleware(Approving)
  )

export const live = HttpApiBuilder.group(base.add(group), "grants", (handlers) =>
  handlers
    .handle("list", ({ urlParams: { session } }) =>
      Effect.gen(function* () {
        const grants = (yield* (yield* Approvals).state(session)).grants
        return {
          grants: grants.map(({ id, scope, sessionId, tool, words, workers }) => ({
            id,
            session: sessionId,
            scope,
            workers,
            tool,
            words
          }))
        }
      })
    )
    .handle("revoke", ({ path: { grant, session } }) =>
      Effect.gen(function* () {
        const { name } = yield* Caller
        const answer = yield* perform({ _tag: "RevokeApproval", session, grantId: grant, by: name })
        return { session: answer.session, seq: answer.seq, answer }
      })
    )
)
