import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { isFree, unlessUnsupported } from "./ChatRequest.ts"
import { Content, imagesOf, type Shown, shownOf, textOf } from "./Content.ts"
import { InvalidRequest } from "./OpenAiError.ts"
import { type CallResult, declared, maybe, merged, sessionNamed, showsCalls, type Told, type Turn } from "./Turn.ts"

/** The server of MCP that the approvals of this server name. */
export const serverLabel = "tollgate"

const Item = Schema.Struct({
  type: Schema.optional(Schema.String),
  role: Schema.optional(Schema.Literal("system", "developer", "user", "assistant")),
  content: Schema.optional(Content),
  call_id: maybe(Schema.String),
  output: Schema.optional(Content),
  approval_request_id: Schema.optional(Schema.String),
  approve: Schema.optional(Schema.Boolean),
  reason: maybe(Schema.String)
})
type Item = typeof Item.Type

const ResponseTool = Schema.Struct({
  type: Schema.String,
  name: Schema.optional(Schema.String),
  description: maybe(Schema.String),
  parameters: maybe(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  server_label: Schema.optional(Schema.String)
})

/** What is read of a request; every other parameter is the profile's to say and is ignored. */
export const ResponsesRequest = Schema.Struct({
  model: maybe(Schema.String),
  input: Schema.Union(Schema.String, Schema.Array(Item)),
  instructions: maybe(Schema.String),
  previous_response_id: maybe(Schema.String),
  tools: maybe(Schema.Array(ResponseTool)),
  tool_choice: Schema.optional(Schema.Unknown),
  stream: maybe(Schema.Boolean),
  metadata: maybe(Schema.Record({ key: Schema.String, value: Schema.String })),
  background: maybe(Schema.Boolean),
  conversation: Schema.optional(Schema.Unknown),
  text: maybe(Schema.Struct({ format: maybe(Schema.Struct({ type: Schema.String })) }))
}).annotations({ identifier: "ResponseRequest" })
export type ResponsesRequest = typeof ResponsesRequest.Type

const Position = Schema.compose(Schema.StringFromBase64Url, Schema.parseJson(Schema.Tuple(Schema.String, Schema.Int)))
const encode = Schema.encodeSync(Position)
const decode = Schema.decodeUnknownOption(Position)

/** The id of a response, which says where in which session it began. */
export const responseId = (session: string, seq: number): string => `resp_${encode([session, seq])}`

const previousOf = (id: string | null | undefined): Effect.Effect<Pick<Turn, "previous">, InvalidRequest> => {
  if (id === null || id === undefined) return Effect.succeed({})
  return Option.match(decode(/^resp_(.+)$/.exec(id)?.[1]), {
    onNone: () =>
      new InvalidRequest({
        message: `There is no response ${JSON.stringify(id.slice(0, 100))}.`,
        code: "previous_response_not_found",
        param: "previous_response_id"
      }),
    onSome: ([session, seq]) => Effect.succeed({ previous: { session, seq } })
  })
}

/** The id of an approval as an item has it: with its digest, which the standard answer has no other place for. */
export const approvalItemId = (id: string, digest: string): string => `mcpr_${id}.${digest}`

const isHistory = ({ role, type = "message" }: Item): boolean =>
  type === "message" ? role === "assistant" : !type.endsWith("_output") && type !== "mcp_approval_response"

const resultOf = (item: Item, param: string): Effect.Effect<CallResult, InvalidRequest> => {
  if (item.type === "mcp_approval_response") {
    const [, id, digest] = /^mcpr_([\w-]+)\.([0-9a-f]{64})$/.exec(item.approval_request_id ?? "") ?? []
    if (id === undefined || item.approve === undefined) {
      return new InvalidRequest({
        message:
          "An mcp_approval_response has the id of its request as approval_request_id, and approve. Nothing was decided.",
        code: "invalid_approval",
        param
      })
    }
    const reason = typeof item.reason === "string" ? { reason: item.reason } : {}
    const decision = { decision: item.approve ? "approve" : "deny", digest, ...reason }
    return Effect.succeed({ id, content: JSON.stringify(decision), param })
  }
  const { call_id: id } = item
  if (item.type !== "function_call_output" || id === undefined || id === null) {
    return new InvalidRequest({
      message: `Items of the type ${JSON.stringify(item.type?.slice(0, 40))} are not taken here.`,
      code: "invalid_value",
      param
    })
  }
  return Effect.map(textOf(item.output, `${param}.output`), (content) => ({ id, content, param }))
}

const isMessage = ({ role, type = "message" }: Item): boolean => type === "message" && role !== undefined

/** What counts of posted items: those after the last one that the server has said. */
export const turnOf = (
  request: ResponsesRequest,
  headers: Readonly<Record<string, string | undefined>>
): Effect.Effect<Turn, InvalidRequest> =>
  Effect.gen(function* () {
    const { input, instructions, metadata, model, tool_choice: choice, tools } = request
    yield* unlessUnsupported([
      ["background", request.background === true, "wait for the answer, or stream it."],
      [
        "conversation",
        request.conversation !== undefined && request.conversation !== null,
        "use previous_response_id."
      ],
      ["text.format", (request.text?.format?.type ?? "text") !== "text", "ask for text."],
      ["tool_choice", !isFree(choice), 'it is "auto" or "none".']
    ])
    const items: ReadonlyArray<Item> =
      typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input
    const read = yield* Effect.forEach(items, (item, index) => {
      const param = `input[${index}]`
      const shown: Effect.Effect<Shown, InvalidRequest> = !isMessage(item)
        ? Effect.succeed({ text: "", images: [] })
        : item.role === "user"
          ? shownOf(item.content, `${param}.content`)
          : Effect.map(textOf(item.content, `${param}.content`), (text) => ({ text, images: [] }))
      return Effect.map(shown, ({ images, text }) => ({ item, text, images, param }))
    })
    const start = read.findLastIndex(({ item }) => isHistory(item)) + 1
    const isBy =
      (...roles: ReadonlyArray<Item["role"]>) =>
      ({ item }: { readonly item: Item }) =>
        isMessage(item) && roles.includes(item.role)
    const told = read.slice(0, start).filter(isBy("user", "assistant"))
    const fresh = read.slice(start)
    const said = fresh.filter(isBy("user")).map(({ text }) => text)
    const images = yield* imagesOf(fresh, "input")
    const results = yield* Effect.forEach(
      fresh.filter(({ item }) => !isMessage(item)),
      ({ item, param }) => resultOf(item, param)
    )
    if (said.length + results.length === 0) {
      return yield* new InvalidRequest({
        message: "The last item must be a message of the user, or the result of a call: there is nothing to answer.",
        code: "invalid_value",
        param: "input"
      })
    }
    const offered = choice === "none" ? [] : (tools ?? [])
    const isOurs = ({ server_label: label, type }: (typeof offered)[number]) => type === "mcp" && label === serverLabel
    const functions = yield* Effect.forEach(
      offered.flatMap((tool, index) => (isOurs(tool) ? [] : [{ tool, index }])),
      ({ index, tool: { description, name, parameters, type } }) =>
        type === "function" && name !== undefined
          ? Effect.succeed({ name, description, parameters, param: `tools[${index}]` })
          : new InvalidRequest({
              message: `Tools of the type ${JSON.stringify(type.slice(0, 40))} are not supported: declare functions, or the MCP server ${serverLabel} for approvals.`,
              code: "unsupported_parameter",
              param: `tools[${index}]`
            })
    )
    const session = yield* sessionNamed(headers, metadata)
    const system = read.filter(isBy("system", "developer")).map(({ text }) => text)
    const own = yield* declared(functions)
    return {
      ...(session === undefined ? {} : { session }),
      ...(yield* previousOf(request.previous_response_id)),
      ...(model === undefined || model === null ? {} : { model }),
      instructions: [...(typeof instructions === "string" ? [instructions] : []), ...system].join("\n\n"),
      earlier: merged(
        told.map(({ item, text }): Told => ({ role: item.role === "user" ? "user" : "assistant", text }))
      ),
      ...(said.length === 0 ? {} : { prompt: said.join("\n\n") }),
      images,
      results,
      ...own,
      ...(offered.some(isOurs) ? { approver: { kind: "mcp" as const } } : {}),
      showsCalls: showsCalls(headers, metadata)
    }
  })
