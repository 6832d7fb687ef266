import { Effect, Schema, Tracer } from "effect"
import * as Tool from "../../src/tool/Tool.ts"
import type { CallRequest, CallSink } from "../../src/gate/CallRequest.ts"
import type { CallEvent } from "../../src/gate/CallEvent.ts"

/** What stands around every call. */
const frame = new Set(["ToolCallRequested", "ToolCallCompleted", "ToolCallFailed", "ToolCallInterrupted"])

/** Keeps what a call tells between its request and its end. */
export const ear = (): {
  readonly heard: Array<CallEvent>
  readonly tags: () => ReadonlyArray<string>
  readonly sink: CallSink
} => {
  const heard: Array<CallEvent> = []
  const note = (event: CallEvent) =>
    Effect.sync(() => {
      if (!frame.has(event._tag)) heard.push(event)
    })
  return { heard, tags: () => heard.map(({ _tag }) => _tag), sink: { emit: note, commit: note } }
}

export const request = (name: string, rawParams: unknown, sink: CallSink = ear().sink): CallRequest => ({
  name,
  rawParams,
  callId: "call_1",
  sessionId: "session_1",
  workerPath: ["root"],
  startedAt: 0,
  sink
})

const text = { parameters: Schema.Struct({ text: Schema.String }), success: Schema.String }

export const Echo = Tool.make("echo", {
  ...text,
  description: "Says it again",
  readOnly: true,
  handler: ({ text }) => Effect.succeed(text)
})

export const Write = Tool.make("write", {
  ...text,
  description: "Writes",
  handler: ({ text }) => Effect.succeed(`wrote ${text}`)
})

export class Broken extends Schema.TaggedError<Broken>()("Broken", { retryable: Schema.Boolean }) {
  override get message() {
    return "it is broken"
  }
}

/** A tool that runs the effect it is given. */
export const running = <A>(body: Effect.Effect<A, Broken>, name = "work") =>
  Tool.make(name, {
    description: "Works",
    parameters: Schema.Struct({}),
    success: Schema.Unknown,
    failure: Broken,
    readOnly: true,
    handler: () => body
  })

export interface Recorded {
  readonly name: string
  readonly kind: string
  readonly attributes: Map<string, unknown>
  readonly events: Array<{ readonly name: string; readonly attributes: unknown }>
  parent: string | undefined
  ended: boolean
}

/** A tracer that keeps its spans. */
export const tracing = () => {
  const spans: Array<Recorded> = []
  const tracer = Tracer.make({
    span: (name, parent, context, links, startTime, kind, options) => {
      const attributes = new Map<string, unknown>(Object.entries(options?.attributes ?? {}))
      const recorded: Recorded = {
        name,
        kind,
        attributes,
        events: [],
        parent: parent._tag === "Some" && parent.value._tag === "Span" ? parent.value.name : undefined,
        ended: false
      }
      spans.push(recorded)
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId: String(spans.length),
        traceId: "trace",
        parent,
        context,
        links: [...links],
        kind,
        sampled: true,
        status: { _tag: "Started", startTime },
        attributes,
        attribute: (key, value) => void attributes.set(key, value),
        event: (event, _time, detail) => void recorded.events.push({ name: event, attributes: detail }),
        addLinks: () => {},
        end: () => {
          recorded.ended = true
        }
      }
      return span
    },
    context: (run) => run()
  })
  return { spans, tracer }
}
