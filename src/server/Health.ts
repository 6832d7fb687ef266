import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Runtime } from "../runtime/Runtime.ts"
import { SessionStore } from "../runtime/SessionStore.ts"
import { version } from "../version.ts"
import { Unavailable } from "./ApiError.ts"
import { base } from "./Base.ts"

const Health = Schema.Struct({ status: Schema.Literal("ok"), version: Schema.String })

export const group = HttpApiGroup.make("health")
  .add(
    HttpApiEndpoint.get("health", "/healthz")
      .addSuccess(Health)
      .annotate(OpenApi.Description, "The process answers. Needs no token.")
  )
  .add(
    HttpApiEndpoint.get("ready", "/readyz")
      .addSuccess(Health)
      .annotate(OpenApi.Description, "Commands are taken and the store can be read. Needs no token.")
  )

const answer = { status: "ok" as const, version }

export const live = HttpApiBuilder.group(base.add(group), "health", (handlers) =>
  handlers
    .handle("health", () => Effect.succeed(answer))
    .handle("ready", () =>
      Effect.gen(function* () {
        const { commands } = yield* Runtime
        const store = yield* SessionStore
        const unready = (message: string) => new Unavailable({ message, retryAfter: 1 })
        if (!commands.isActive()) return yield* unready("The runtime has stopped.")
        yield* Effect.mapError(store.list({ limit: 1 }), ({ message }) => unready(message))
        return answer
      })
    )
)
