import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Operating } from "../Access.ts"
import { Refusal, Rejected } from "../ApiError.ts"
import { base } from "../Base.ts"
import * as Sse from "../Sse.ts"
import { begin } from "./Exchange.ts"
import type { Said } from "./Said.ts"
import { documented, InvalidRequest } from "./OpenAiError.ts"
import { ResponseWriter } from "./ResponseItems.ts"
import { responseId, ResponsesRequest, turnOf } from "./ResponsesRequest.ts"

/** As far as a reader needs to know; the rest is as OpenAI has it. */
const Response = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("response"),
  created_at: Schema.Number,
  status: Schema.Literal("completed", "incomplete"),
  model: Schema.String,
  output: Schema.Array(Schema.Unknown),
  usage: Schema.Unknown
}).annotations({ identifier: "Response" })

export const group = HttpApiGroup.make("responses").add(
  HttpApiEndpoint.post("create", "/v1/responses")
    .setPayload(ResponsesRequest)
    .addSuccess(Response)
    .addError(InvalidRequest)
    .addError(Refusal)
    .annotate(
      OpenApi.Description,
      'A conversation as OpenAI\'s Responses have it. previous_response_id goes on with it. A client whose tools include the MCP server "tollgate" is asked by mcp_approval_request and answers by mcp_approval_response; the functions are as in /v1/chat/completions.'
    )
    .annotateContext(documented(true))
    .middleware(Operating)
)

/** A whole response. */
const wholeOf = (said: Stream.Stream<Said>, writer: ResponseWriter): Effect.Effect<object, Rejected> =>
  Stream.runFoldEffect(said, {}, (_: object, one): Effect.Effect<object, Rejected> => {
    writer.write(one)
    if (one._tag === "Failed") return new Rejected({ message: one.message, error: one.code })
    return Effect.succeed(one._tag === "Text" ? {} : writer.whole(one))
  })

export const live = HttpApiBuilder.group(base.add(group), "responses", (handlers) =>
  handlers.handle("create", ({ payload, request: { headers } }) =>
    Effect.gen(function* () {
      const turn = yield* turnOf(payload, headers)
      if (payload.stream === true) yield* Sse.enter
      const { model, said, seq, session } = yield* begin(turn)
      const head = {
        id: responseId(session, seq),
        created_at: Math.floor((yield* Clock.currentTimeMillis) / 1000),
        model,
        previous_response_id: payload.previous_response_id ?? null,
        metadata: payload.metadata ?? {}
      }
      const writer = new ResponseWriter(head, turn.approver?.kind === "mcp")
      const named = { "x-tollgate-session": session }
      if (payload.stream === true) {
        const texts = Stream.concat(
          Stream.suspend(() => Stream.fromIterable(writer.begin())),
          Stream.mapConcat(said, (one) => writer.write(one))
        )
        return yield* Sse.respondText(texts, named)
      }
      const response = yield* wholeOf(said, writer)
      return HttpServerResponse.unsafeJson(response, { headers: named })
    })
  )
)
