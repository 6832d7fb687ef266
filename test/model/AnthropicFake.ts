import * as Effect from "effect/Effect"
import { event, type Exchange, type Handler } from "./Loopback.ts"

type Event = readonly [string, object]

export const start: Event = [
  "message_start",
  {
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-x-2030",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 36, output_tokens: 1, cache_read_input_tokens: 64, cache_creation_input_tokens: 7 }
    }
  }
]

export const stop = (stop_reason = "end_turn"): ReadonlyArray<Event> => [
  ["message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 20 } }],
  ["message_stop", {}]
]

const block = (index: number, content_block: object, deltas: ReadonlyArray<object>): ReadonlyArray<Event> => [
  ["content_block_start", { index, content_block }],
  ...deltas.map((delta): Event => ["content_block_delta", { index, delta }]),
  ["content_block_stop", { index }]
]

export const thinking = block(0, { type: "thinking", thinking: "", signature: "" }, [
  { type: "thinking_delta", thinking: "think" },
  { type: "signature_delta", signature: "SIGNATURE" }
])

export const text = (...pieces: ReadonlyArray<string>) =>
  block(
    1,
    { type: "text", text: "", citations: null },
    pieces.map((piece) => ({ type: "text_delta", text: piece }))
  )

export const call = (args: string, name = "weather", index = 2) =>
  block(
    index,
    { type: "tool_use", id: `toolu_${index}`, name, input: {} },
    (args.match(/.{1,6}/gs) ?? []).map((piece) => ({ type: "input_json_delta", partial_json: piece }))
  )

export const write = (exchange: Exchange, events: ReadonlyArray<Event>) =>
  Effect.forEach(events, ([type, fields]) => exchange.write(event({ type, ...fields }, type)), { discard: true })

/** Streams these events of the Messages API and ends. */
export const messages =
  (...events: ReadonlyArray<Event>): Handler =>
  (exchange) =>
    exchange
      .head(200, { "content-type": "text/event-stream" })
      .pipe(Effect.zipRight(write(exchange, events)), Effect.zipRight(exchange.end()))
