import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Search } from "../search/Search.ts"
import { Viewing } from "./Access.ts"
import { Rejected } from "./ApiError.ts"
import { Limit, Project, Query, Seq, Text } from "./ApiSchema.ts"
import { base } from "./Base.ts"
import { stored } from "./stored.ts"

const Role = Schema.Literal("user", "assistant", "tool", "system")

const Hit = Schema.Struct({
  session: Schema.String,
  /** The number of its event. */
  seq: Schema.Number,
  project: Schema.String,
  title: Schema.String,
  role: Role,
  tool: Schema.optionalWith(Schema.String, { exact: true }),
  time: Schema.Number,
  score: Schema.Number,
  by: Schema.Literal("text", "meaning", "both"),
  snippet: Schema.Array(Schema.Struct({ text: Schema.String, hit: Schema.Boolean }))
})

const SearchHits = Schema.Struct({
  hits: Schema.Array(Hit),
  /** What was not searched, and why. */
  notes: Schema.Array(Schema.String)
})
export type SearchHits = typeof SearchHits.Type

export const group = HttpApiGroup.make("search").add(
  HttpApiEndpoint.get("search", "/v1/search")
    .setUrlParams(
      Query({
        query: Schema.String,
        session: Schema.optionalWith(Text, { exact: true }),
        ...Project,
        role: Schema.optionalWith(Role, { exact: true }),
        tool: Schema.optionalWith(Text, { exact: true }),
        since: Schema.optionalWith(Seq, { exact: true }),
        by: Schema.optionalWith(Schema.Literal("text", "meaning"), { exact: true }),
        limit: Limit(100)
      })
    )
    .addSuccess(SearchHits)
    .addError(Rejected)
    .annotate(OpenApi.Description, "Finds messages of all sessions by their words and by what they mean.")
    .middleware(Viewing)
)

export const live = HttpApiBuilder.group(base.add(group), "search", (handlers) =>
  handlers.handle("search", ({ urlParams: { role, ...options } }) =>
    Effect.gen(function* () {
      const search = yield* Search
      return yield* search.find({ ...options, ...(role === undefined ? {} : { roles: [role] }) })
    }).pipe(
      Effect.catchTag("SearchInvalid", ({ _tag, message }) => new Rejected({ message, error: _tag })),
      Effect.catchTag("SearchFailed", (error) => stored(Effect.fail(error)))
    )
  )
)
