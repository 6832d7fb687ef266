import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Collector from "./Collector.ts"

/** Exports spans where the environment names a collector; where it does not, the exporter is not even loaded. */
export const layer: Layer.Layer<never, never, HttpClient.HttpClient> = Layer.unwrapEffect(
  Effect.flatMap(
    Collector.fromEnvironment,
    Option.match({
      onNone: () => Effect.succeed(Layer.empty),
      onSome: (found) =>
        Effect.map(
          Effect.promise(() => import("./Otlp.ts")),
          ({ layerCollector }) => layerCollector(found)
        )
    })
  )
)
