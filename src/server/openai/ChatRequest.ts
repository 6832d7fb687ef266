import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Content, imagesOf, type Shown, shownOf, textOf } from "./Content.ts"
import { InvalidRequest } from "./OpenAiError.ts"
import { type CallResult, declared, maybe, merged, sessionNamed, showsCalls, type Told, type Turn } from "./Turn.ts"

const ChatMessage = Schema.Struct({
  role: Schema.Literal("system", "developer", "user", "assistant", "tool"),
  content: Schema.optional(Content),
  tool_call_id: maybe(Schema.String)
})
type ChatMessage = typeof ChatMessage.Type

const ChatTool = Schema.Struct({
  type: Schema.String,
  function: Schema.optional(
    Schema.Struct({
      name: Schema.String,
      description: maybe(Schema.String),
      parameters: maybe(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
    })
  )
})

/** What is read of a request; every other parameter is the profile's to say and is ignored. */
export const ChatRequest = Schema.Struct({
  model: maybe(Schema.String),
  messages: Schema.Array(ChatMessage).pipe(Schema.minItems(1)),
  tools: maybe(Schema.Array(ChatTool)),
  tool_choice: Schema.optional(Schema.Unknown),
  stream: maybe(Schema.Boolean),
  stream_options: maybe(Schema.Struct({ include_usage: maybe(Schema.Boolean) })),
  metadata: maybe(Schema.Record({ key: Schema.String, value: Schema.String })),
  n: maybe(Schema.Number),
  logprobs: maybe(Schema.Boolean),
  response_format: maybe(Schema.Struct({ type: Schema.String })),
  modalities: maybe(Schema.Array(Schema.String)),
  functions: Schema.optional(Schema.Unknown)
}).annotations({ identifier: "ChatCompletionRequest" })
export type ChatRequest = typeof ChatRequest.Type

type Unsupported = readonly [param: string, isAsked: boolean, instead: string]

/** Refuses what would have to change the answer and does not. */
export const unlessUnsupported = (parameters: ReadonlyArray<Unsupported>): Effect.Effect<void, InvalidRequest> => {
  const found = parameters.find(([, isAsked]) => isAsked)
  if (found === undefined) return Effect.void
  const [param, , instead] = found
  return new InvalidRequest({ message: `${param} is not supported: ${instead}`, code: "unsupported_parameter", param })
}

/** Whether the model is left to choose among functions. */
export const isFree = (choice: unknown): boolean =>
  choice === undefined || choice === null || choice === "auto" || choice === "none"

const isMessage =
  (...roles: ReadonlyArray<ChatMessage["role"]>) =>
  ({ message }: { readonly message: ChatMessage }) =>
    roles.includes(message.role)

/**
 * What counts of a posted conversation: the messages after the last one of the assistant. Those before only find the session, and
 * system messages are what the client says, wherever they stand.
 */
export const turnOf = (
  request: ChatRequest,
  headers: Readonly<Record<string, string | undefined>>
): Effect.Effect<Turn, InvalidRequest> =>
  Effect.gen(function* () {
    const { messages, metadata, model, tool_choice: choice, tools } = request
    yield* unlessUnsupported([
      ["n", (request.n ?? 1) > 1, "ask for one choice."],
      ["logprobs", request.logprobs === true, "the server does not know them."],
      ["response_format", (request.response_format?.type ?? "text") !== "text", "ask for text."],
      ["modalities", request.modalities?.some((one) => one !== "text") === true, "ask for text."],
      ["functions", request.functions !== undefined && request.functions !== null, "declare them in tools."],
      ["tool_choice", !isFree(choice), 'it is "auto" or "none".']
    ])
    const read = yield* Effect.forEach(messages, (message, index) => {
      const param = `messages[${index}].content`
      const shown: Effect.Effect<Shown, InvalidRequest> =
        message.role === "user"
          ? shownOf(message.content, param)
          : Effect.map(textOf(message.content, param), (text) => ({ text, images: [] }))
      return Effect.map(shown, ({ images, text }) => ({ message, text, images, index }))
    })
    const start = read.findLastIndex(isMessage("assistant")) + 1
    const told = read.slice(0, start).filter(isMessage("user", "assistant"))
    const fresh = read.slice(start)
    const said = fresh.filter(isMessage("user")).map(({ text }) => text)
    const images = yield* imagesOf(fresh, "messages")
    const results = yield* Effect.forEach(
      fresh.filter(isMessage("tool")),
      ({ index, message: { tool_call_id: id }, text }): Effect.Effect<CallResult, InvalidRequest> => {
        const param = `messages[${index}]`
        return id === undefined || id === null
          ? new InvalidRequest({ message: "A result names its call by tool_call_id.", code: "invalid_value", param })
          : Effect.succeed({ id, content: text, param })
      }
    )
    if (said.length + results.length === 0) {
      return yield* new InvalidRequest({
        message: "The last message must be the user's, or the result of a call: there is nothing to answer.",
        code: "invalid_value",
        param: "messages"
      })
    }
    const functions = yield* Effect.forEach(choice === "none" ? [] : (tools ?? []), (tool, index) =>
      tool.type === "function" && tool.function !== undefined
        ? Effect.succeed({ ...tool.function, param: `tools[${index}]` })
        : new InvalidRequest({
            message: `Tools of the type ${JSON.stringify(tool.type.slice(0, 40))} are not supported: declare functions.`,
            code: "unsupported_parameter",
            param: `tools[${index}]`
          })
    )
    const session = yield* sessionNamed(headers, metadata)
    return {
      ...(session === undefined ? {} : { session }),
      ...(model === undefined || model === null ? {} : { model }),
      instructions: read
        .filter(isMessage("system", "developer"))
        .map(({ text }) => text)
        .join("\n\n"),
      earlier: merged(
        told.map(({ message, text }): Told => ({ role: message.role === "user" ? "user" : "assistant", text }))
      ),
      ...(said.length === 0 ? {} : { prompt: said.join("\n\n") }),
      images,
      results,
      ...(yield* declared(functions)),
      showsCalls: showsCalls(headers, metadata)
    }
  })
