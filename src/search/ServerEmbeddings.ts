import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Accounts } from "../cost/Accounts.ts"
import type { Payer } from "../cost/Payer.ts"
import { noUsage } from "../cost/Usage.ts"
import { type Endpoint, originOf, silenceTimeout, urlOf } from "../model/Endpoint.ts"
import { oneLine } from "../model/Reason.ts"
import { Redactor } from "../redaction/Redactor.ts"
import { EmbeddingFailed, Embeddings } from "./Embeddings.ts"

const Answer = Schema.parseJson(
  Schema.Struct({
    data: Schema.Array(Schema.Struct({ index: Schema.Number, embedding: Schema.Array(Schema.JsonNumber) })),
    usage: Schema.optional(Schema.Struct({ prompt_tokens: Schema.NonNegative }))
  })
)
const decode = Schema.decodeUnknown(Answer)

/** Bytes of one answer. */
const maxAnswer = 64 * 1024 * 1024

/** Statuses by which servers refuse what they are sent: malformed, too large, not to be processed (RFC 9110). */
const refusals: ReadonlySet<number> = new Set([400, 413, 422])

/** What is embedded is of all sessions: no session and no project pays alone. */
const payer: Payer = { session: "", project: "", task: "", worker: ["search"], iteration: 0 }

/** The fewest bytes that a token has, as a rule. */
const bytesPerToken = 2

export interface ServerOptions extends Endpoint {
  /** Named where the money is booked. Default: the model. */
  readonly profile?: string
  /** The cosine from which two texts count as similar; it depends on the model. Default: 0.3. */
  readonly similar?: number
}

/** Meaning by any server that speaks OpenAI's `/embeddings`: Ollama, vLLM, LM Studio, OpenAI …; what it costs is kept by `Accounts`. */
export const layer = (endpoint: ServerOptions): Layer.Layer<Embeddings, never, HttpClient.HttpClient> =>
  Layer.effect(
    Embeddings,
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const redactor = yield* Redactor
      const accounts = yield* Accounts
      const { apiKey, headers = {}, model, options = {}, profile = model, similar = 0.3 } = endpoint
      const origin = originOf(endpoint)
      const failed = (reason: string, isRefused = false) =>
        new EmbeddingFailed({ model, reason: oneLine(origin, reason), isRefused })
      const send = (texts: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const url = urlOf(endpoint, "/embeddings")
          if (url === undefined) return yield* failed("its address is no URL. Correct baseUrl of its profile.")
          const response = yield* HttpClientRequest.post(url).pipe(
            HttpClientRequest.setHeaders(headers),
            apiKey === undefined ? (same) => same : HttpClientRequest.bearerToken(Redacted.value(apiKey)),
            HttpClientRequest.bodyUnsafeJson({ ...options, model, input: texts }),
            http.execute
          )
          const body = yield* Stream.runFoldEffect(
            response.stream,
            { size: 0, parts: [] as Array<Uint8Array> },
            (read, part) => {
              read.size += part.length
              read.parts.push(part)
              return read.size > maxAnswer ? failed("its answer is too long") : Effect.succeed(read)
            }
          )
          const text = Buffer.concat(body.parts).toString("utf8")
          if (response.status < 200 || response.status > 299) {
            return yield* failed(
              `the server answered HTTP ${response.status}: ${text.slice(0, 300)}`,
              refusals.has(response.status)
            )
          }
          const { data, usage } = yield* Effect.mapError(decode(text), () => failed("its answer has no embeddings"))
          const vectors = texts.map((_, at) => data.find(({ index }) => index === at)?.embedding ?? [])
          const [dimensions = 0] = vectors.map(({ length }) => length)
          return dimensions === 0 || vectors.some(({ length }) => length !== dimensions)
            ? yield* failed("its answer has not one embedding for each text")
            : { vectors: vectors.map((vector) => Float32Array.from(vector)), tokens: usage?.prompt_tokens }
        }).pipe(
          Effect.scoped,
          Effect.mapError((error) => (error._tag === "EmbeddingFailed" ? error : failed(error.message))),
          Effect.timeoutFail({
            duration: silenceTimeout(endpoint),
            onTimeout: () => failed(`no answer within ${Duration.format(silenceTimeout(endpoint))}`)
          })
        )
      const embed = (given: ReadonlyArray<string>) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.gen(function* () {
            const texts = given.map(redactor.text)
            const inputTokens = () =>
              Math.ceil(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / bytesPerToken)
            const terms = { name: model, maxOutputTokens: 0 }
            const { settle } = yield* Effect.mapError(
              accounts.open({ payer, profile, terms, number: 1, inputTokens }),
              ({ message }) => failed(message)
            )
            const { vectors } = yield* Effect.onExit(restore(send(texts)), (exit) =>
              Exit.isSuccess(exit)
                ? settle(
                    exit.value.tokens === undefined
                      ? { outcome: "answered", outputTokens: 0 }
                      : { outcome: "answered", usage: { ...noUsage, inputTokens: exit.value.tokens } }
                  )
                : settle({ outcome: Exit.isInterrupted(exit) ? "interrupted" : "failed" })
            )
            return vectors
          })
        )
      return { model, batch: 32, similar, embed }
    })
  )
