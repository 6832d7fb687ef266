import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Models } from "../../model/Models.ts"
import { Known } from "../Access.ts"
import { NotFound } from "../ApiError.ts"
import { base } from "../Base.ts"
import { documented } from "./OpenAiError.ts"

const Model = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("model"),
  created: Schema.Number,
  owned_by: Schema.String
}).annotations({ identifier: "OpenAiModel" })

export const group = HttpApiGroup.make("models")
  .add(
    HttpApiEndpoint.get("list", "/v1/models")
      .addSuccess(Schema.Struct({ object: Schema.Literal("list"), data: Schema.Array(Model) }))
      .annotate(OpenApi.Description, "The profiles, as OpenAI lists models; the preferred one first.")
      .annotateContext(documented(false))
      .middleware(Known)
  )
  .add(
    HttpApiEndpoint.get("show", "/v1/models/:model")
      .setPath(Schema.Struct({ model: Schema.String }))
      .addSuccess(Model)
      .addError(NotFound)
      .annotate(OpenApi.Description, "One profile as a model.")
      .annotateContext(documented(false))
      .middleware(Known)
  )

const modelOf = (id: string): typeof Model.Type => ({ id, object: "model", created: 0, owned_by: "tollgate" })

export const live = HttpApiBuilder.group(base.add(group), "models", (handlers) =>
  handlers
    .handle("list", () =>
      Effect.map(Models, ({ preferred, profiles }) => {
        const known = profiles.toSorted((a, b) => Number(b === preferred) - Number(a === preferred))
        return { object: "list" as const, data: known.map(modelOf) }
      })
    )
    .handle("show", ({ path: { model } }) =>
      Effect.flatMap(Models, ({ profiles }) =>
        profiles.includes(model)
          ? Effect.succeed(modelOf(model))
          : new NotFound({ message: `The model ${JSON.stringify(model)} does not exist.`, error: "ModelNotFound" })
      )
    )
)
