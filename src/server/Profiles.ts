import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Models } from "../model/Models.ts"
import { Viewing } from "./Access.ts"
import { base } from "./Base.ts"

export const group = HttpApiGroup.make("profiles").add(
  HttpApiEndpoint.get("list", "/v1/profiles")
    .addSuccess(Schema.Struct({ profiles: Schema.Array(Schema.String), preferred: Schema.String }))
    .annotate(OpenApi.Description, "The configured models by the names of their profiles.")
    .middleware(Viewing)
)

export const live = HttpApiBuilder.group(base.add(group), "profiles", (handlers) =>
  handlers.handle("list", () => Effect.map(Models, ({ preferred, profiles }) => ({ preferred, profiles })))
)
