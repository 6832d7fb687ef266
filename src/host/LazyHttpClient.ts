import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Node's HTTP client, loaded with the first request. */
export const layer: Layer.Layer<HttpClient.HttpClient> = Layer.scoped(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const client = yield* Effect.cached(
      Effect.flatMap(
        Effect.promise(() => import("@effect/platform-node/NodeHttpClient")),
        (module) => Layer.buildWithScope(module.layer, scope)
      )
    )
    return HttpClient.make((request) =>
      Effect.flatMap(client, (context) =>
        // The span of the request is that of the client around this one.
        HttpClient.withTracerDisabledWhen(Context.get(context, HttpClient.HttpClient), () => true).execute(request)
      )
    )
  })
)
