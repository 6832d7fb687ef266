import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Effect from "effect/Effect"
import * as JSONSchema from "effect/JSONSchema"
import { Envelope } from "../runtime/Envelope.ts"
import { Api } from "./Api.ts"
import { answerOf } from "./answerOf.ts"
import { allowed, type Judging } from "./Authorization.ts"
import { page, policy } from "./DocumentPage.ts"

/** Schemas for anything at all have one and the same id, which validators refuse. */
const withoutId = (name: string, value: unknown): unknown =>
  name === "$id" && typeof value === "string" ? undefined : value

/** The OpenAPI 3.1 document of the server, with the whole schema of what a log holds. */
export const document = (): OpenApi.OpenAPISpec => {
  const { components, ...rest } = OpenApi.fromApi(Api)
  const shared: Record<string, JSONSchema.JsonSchema7> = {}
  const envelope = JSONSchema.fromAST(Envelope.ast, {
    definitions: shared,
    definitionPath: "#/components/schemas/",
    topLevelReferenceStrategy: "skip"
  })
  const schemas = { ...shared, ...components.schemas, Envelope: envelope }
  const spec = { ...rest, components: { ...components, schemas } }
  return JSON.parse(JSON.stringify(spec, withoutId)) as OpenApi.OpenAPISpec
}

/** Serves the document, and the page about it; they are made when they are first asked for. */
export const live = HttpApiBuilder.Router.use((router) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Judging>()
    const made = yield* Effect.cached(Effect.sync(document))
    const told = <E, R>(response: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
      Effect.matchEffect(Effect.provide(allowed("view"), context), {
        onFailure: (error) => Effect.succeed(answerOf(error)),
        onSuccess: () => response
      })
    const json = yield* Effect.cached(Effect.map(made, (one) => HttpServerResponse.unsafeJson(one)))
    const html = yield* Effect.cached(
      Effect.map(made, (one) =>
        HttpServerResponse.text(page(one), {
          contentType: "text/html; charset=utf-8",
          headers: { "content-security-policy": policy }
        })
      )
    )
    yield* router.get("/openapi.json", told(json))
    yield* router.get("/docs", told(html))
  })
)
