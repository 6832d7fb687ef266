import * as Effect from "effect/Effect"
import { event, type Exchange, type Handler } from "./Loopback.ts"

const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 64 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 5 },
  total_tokens: 120
}

export const response = (status: string, more: object = {}) => ({
  id: "resp_1",
  object: "response",
  created_at: 1700000000,
  status,
  model: "gpt-x-2030",
  output: [],
  error: null,
  incomplete_details: null,
  something_new: { that: "no schema knows" },
  ...more
})

const delta = (type: string, output_index: number, item_id: string, text: string, more: object = {}) =>
  [`response.${type}.delta`, { item_id, output_index, delta: text, ...more }] as const
const added = (output_index: number, item: object) => ["response.output_item.added", { output_index, item }] as const
const done = (output_index: number, item: object) => ["response.output_item.done", { output_index, item }] as const

type Event = readonly [string, object]

export const created: Event = ["response.created", { response: response("in_progress") }]
export const completed: Event = ["response.completed", { response: response("completed", { usage }) }]

export const reasoning: ReadonlyArray<Event> = [
  added(0, { id: "rs_1", type: "reasoning", summary: [] }),
  [
    "response.reasoning_summary_part.added",
    { item_id: "rs_1", output_index: 0, summary_index: 0, part: { type: "summary_text", text: "" } }
  ],
  delta("reasoning_summary_text", 0, "rs_1", "think", { summary_index: 0 }),
  done(0, {
    id: "rs_1",
    type: "reasoning",
    summary: [{ type: "summary_text", text: "think" }],
    encrypted_content: "ENCRYPTED"
  })
]

const message = { id: "msg_1", type: "message", role: "assistant" }

export const text = (...pieces: ReadonlyArray<string>): ReadonlyArray<Event> => [
  added(1, { ...message, status: "in_progress", content: [] }),
  ...pieces.map((piece) => delta("output_text", 1, "msg_1", piece, { content_index: 0, logprobs: [] })),
  done(1, {
    ...message,
    status: "completed",
    content: [{ type: "output_text", text: pieces.join(""), annotations: [] }]
  })
]

export const call = (args: string, name = "weather", index = 2): ReadonlyArray<Event> => {
  const item = { id: `fc_${index}`, type: "function_call", call_id: `call_${index}`, name }
  return [
    added(index, { ...item, arguments: "", status: "in_progress" }),
    ...(args.match(/.{1,6}/gs) ?? []).map((piece) => delta("function_call_arguments", index, `fc_${index}`, piece)),
    done(index, { ...item, arguments: args, status: "completed" })
  ]
}

export const write = (exchange: Exchange, events: ReadonlyArray<Event>) =>
  Effect.forEach(
    events,
    ([type, fields], sequence_number) => exchange.write(event({ type, sequence_number, ...fields }, type)),
    { discard: true }
  )

/** Streams these events of the Responses API and ends. */
export const responses =
  (...events: ReadonlyArray<Event>): Handler =>
  (exchange) =>
    exchange
      .head(200, { "content-type": "text/event-stream" })
      .pipe(Effect.zipRight(write(exchange, events)), Effect.zipRight(exchange.end()))
