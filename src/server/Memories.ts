import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Memory } from "../memory/Memory.ts"
import { MemoryKind, MemoryMetadata, MemoryScope } from "../memory/MemoryEntry.ts"
import { Operating, Viewing } from "./Access.ts"
import { NotFound } from "./ApiError.ts"
import { Limit, Project, Query, Seq } from "./ApiSchema.ts"
import { base } from "./Base.ts"
import { placeOf } from "./placeOf.ts"
import { stored } from "./stored.ts"

const Entry = Schema.Struct({
  id: Schema.Number,
  scope: MemoryScope,
  sessionId: Schema.String,
  project: Schema.String,
  kind: MemoryKind,
  text: Schema.String,
  metadata: MemoryMetadata,
  createdAt: Schema.Number
})

export const group = HttpApiGroup.make("memory")
  .add(
    HttpApiEndpoint.get("list", "/v1/memory")
      .setUrlParams(
        Query({
          ...Project,
          /** Words to look for, the best first; the latest entries if unset. */
          query: Schema.optionalWith(Schema.String, { exact: true }),
          /** Only entries before this one. */
          before: Schema.optionalWith(Seq, { exact: true }),
          limit: Limit(100)
        })
      )
      .addSuccess(Schema.Struct({ memories: Schema.Array(Entry) }))
      .addError(NotFound)
      .annotate(OpenApi.Description, "What a project and its sessions remember.")
      .middleware(Viewing)
  )
  .add(
    HttpApiEndpoint.del("forget", "/v1/memory/:id")
      .setPath(Schema.Struct({ id: Seq }))
      .setUrlParams(Query(Project))
      .addSuccess(HttpApiSchema.NoContent)
      .addError(NotFound)
      .annotate(OpenApi.Description, "Forgets one entry of a project.")
      .middleware(Operating)
  )

export const live = HttpApiBuilder.group(base.add(group), "memory", (handlers) =>
  handlers
    .handle("list", ({ urlParams: { before, limit = 100, project: directory, query } }) =>
      Effect.gen(function* () {
        const { project } = yield* placeOf(directory)
        const memory = yield* Memory
        const found =
          query === undefined
            ? memory.list({ project, limit, ...(before === undefined ? {} : { before }) })
            : memory.retrieve({ project, limit, query })
        return { memories: yield* stored(found) }
      })
    )
    .handle("forget", ({ path: { id }, urlParams: { project: directory } }) =>
      Effect.gen(function* () {
        const { project } = yield* placeOf(directory)
        const memory = yield* Memory
        const entry = yield* stored(memory.find(id))
        if (entry?.project !== project) return yield* new NotFound({ message: `${project} has no memory ${id}.` })
        yield* stored(memory.forget(id))
      })
    )
)
