import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Audit } from "../audit/Audit.ts"
import { AuditRow } from "../audit/AuditChain.ts"
import { Viewing } from "./Access.ts"
import { Limit, Query, Seq } from "./ApiSchema.ts"
import { base } from "./Base.ts"
import { stored } from "./stored.ts"

const Verification = Schema.Struct({
  intact: Schema.Boolean,
  entries: Schema.Number,
  /** The first entry that is not what was written, and why. */
  entry: Schema.optionalWith(Schema.Number, { exact: true }),
  reason: Schema.optionalWith(Schema.String, { exact: true })
})

export type Verification = typeof Verification.Type

const ToolStats = Schema.Struct({
  tool: Schema.String,
  asked: Schema.Number,
  granted: Schema.Number,
  denied: Schema.Number,
  expired: Schema.Number,
  withdrawn: Schema.Number,
  automatic: Schema.Number,
  meanMillis: Schema.Number,
  maxMillis: Schema.Number
})

export type ToolStats = typeof ToolStats.Type

export const group = HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/v1/audit")
      .setUrlParams(
        Query({
          session: Schema.optionalWith(Schema.String, { exact: true }),
          /** Only entries after this one. */
          after: Schema.optionalWith(Seq, { exact: true }),
          limit: Limit(1000)
        })
      )
      .addSuccess(Schema.Struct({ entries: Schema.Array(AuditRow) }))
      .annotate(
        OpenApi.Description,
        "Requests and decisions as they are stored, the oldest first; 100 if no limit is given."
      )
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.get("verify", "/v1/audit/verification")
      .addSuccess(Verification)
      .annotate(OpenApi.Description, "Whether no entry is missing or changed.")
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.get("stats", "/v1/audit/stats")
      .addSuccess(Schema.Struct({ tools: Schema.Array(ToolStats) }))
      .annotate(OpenApi.Description, "How often each tool was asked for, and how that was answered.")
      .middleware(Viewing)
  )

export const live = HttpApiBuilder.group(base.add(group), "audit", (handlers) =>
  handlers
    .handle("list", ({ urlParams: { after = 0, limit = 100, session } }) =>
      Effect.gen(function* () {
        const { entries } = yield* Audit
        const wanted = Stream.filter(
          entries,
          (row) => row.id > after && (session === undefined || row.session === session)
        )
        return { entries: Chunk.toReadonlyArray(yield* stored(Stream.runCollect(Stream.take(wanted, limit)))) }
      })
    )
    .handle("verify", () => Effect.flatMap(Audit, ({ verify }) => stored(verify)))
    .handle("stats", () => Effect.flatMap(Audit, ({ stats }) => Effect.map(stored(stats), (tools) => ({ tools }))))
)
