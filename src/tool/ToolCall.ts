import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Attempted } from "../middleware/retry.ts"
import { fieldsOf } from "../text/fieldsOf.ts"
import type { Preview } from "./Preview.ts"
import type { Declaration, Touches } from "./Touches.ts"
import { FileChanged, type FileDiff, made, ToolOutput, ToolProgressed, trusted, type ToolEvent } from "./ToolEvent.ts"
import type { AnySchema, Approval, Codec, FailureSchema, Traits } from "./Traits.ts"

/** Where a call tells what happens. `commit` returns once the event is durable. */
export interface ToolSink {
  readonly emit: (event: ToolEvent) => Effect.Effect<void>
  readonly commit: (event: ToolEvent) => Effect.Effect<void>
}

/** The parameters of a call that are not decoded yet. */
export const undecoded: unique symbol = Symbol.for("tollgate/tool/undecoded")

/** Any tool, seen from the gate, which has validated what goes in and encodes what comes out. */
export interface AnyTool extends Traits {
  readonly parameters: AnySchema
  readonly success: AnySchema
  readonly failure: FailureSchema
  readonly approval: Approval<never, unknown, unknown>
  readonly repeatable: boolean
  readonly asks: boolean
  readonly touches: Declaration<never> | undefined
  readonly preview: ((params: never) => Effect.Effect<Preview, unknown, unknown>) | undefined
  readonly handler: (params: never, call: ToolCall) => Effect.Effect<unknown, unknown, unknown>
  readonly codec: Codec
  readonly middleware: unknown
}

/** One invocation of a tool. */
export interface ToolCall extends Attempted {
  readonly kind: "tool"
  readonly tool: AnyTool
  readonly callId: string
  readonly sessionId: string
  /** The task that the call is part of, if any. */
  readonly taskId?: string
  /** From the root worker to the one that calls. */
  readonly workerPath: ReadonlyArray<string>
  /** The parameters as JSON, from the model or from a hook that replaced them. */
  readonly rawParams: unknown
  /** The decoded parameters; the raw ones until the validation step has run. */
  readonly params: unknown
  /** Who asks; the model if unset. */
  readonly by?: "user"
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly metadata: Readonly<Record<string, unknown>>
  /** The call wanted a decision and has one: of a person, a grant, a rule or a policy. */
  readonly decided?: boolean
  /** It runs only because the sandbox holds it; nobody has looked at it. */
  readonly confined?: true
  /** How many identical calls in a row this is, itself included; then a person must allow it. */
  readonly repeats?: number
  /** What was shown to the person who approved the call. */
  readonly preview?: Preview
  /**
   * Whether the user's rules hide an absolute physical path from the call. A tool that searches directories asks it for
   * every path, a directory before its contents.
   */
  readonly withheld?: (path: string) => boolean
  /** Absolute paths, each of which is withheld itself or is above withheld ones; no other path is withheld. */
  readonly withheldFrom?: ReadonlyArray<string>
  /** What rules of the user make of the same tool where it touches this; no rule fits where it gives nothing. */
  readonly ruled?: (touches: Touches) => "allow" | "ask" | "deny" | undefined
  readonly sink: ToolSink
}

/** A sink that tells `hear` of every event before it passes it on; what it gives, if anything, is run first. */
export const heard = (sink: ToolSink, hear: (event: ToolEvent) => Effect.Effect<void> | undefined): ToolSink => {
  const after = (event: ToolEvent, pass: ToolSink["emit"]) =>
    Effect.suspend(() => {
      const first = hear(event)
      return first === undefined ? pass(event) : Effect.flatMap(first, () => pass(event))
    })
  return { emit: (event) => after(event, sink.emit), commit: (event) => after(event, sink.commit) }
}

/** A sink that drops every event. */
export const silent = { emit: () => Effect.void, commit: () => Effect.void } satisfies ToolSink

export const stdout = (call: ToolCall, text: string): Effect.Effect<void> =>
  call.sink.emit(new ToolOutput({ callId: call.callId, tool: call.name, channel: "stdout", text }, trusted))

export const stderr = (call: ToolCall, text: string): Effect.Effect<void> =>
  call.sink.emit(new ToolOutput({ callId: call.callId, tool: call.name, channel: "stderr", text }, trusted))

const readProgress = fieldsOf(Schema.Struct(ToolProgressed.fields))
const readChange = fieldsOf(Schema.Struct(FileChanged.fields))

/** The fields of an event by a tool's own word; what is none is a bug of the tool. */
const said = <A>(
  { callId, name }: ToolCall,
  read: (value: unknown) => Option.Option<A>,
  given: { readonly _tag: string }
): A =>
  Option.getOrThrowWith(
    read({ ...given, callId, tool: name }),
    () => new TypeError(`what the tool ${name} tells is no ${given._tag}`)
  )

export interface Progress {
  readonly label?: string
  readonly current?: number
  readonly total?: number
}

/** Says how far the call is, which also resets its idle timeout. */
export const progress = (call: ToolCall, progress: Progress): Effect.Effect<void> =>
  Effect.suspend(() =>
    call.sink.emit(made(ToolProgressed, said(call, readProgress, { _tag: "ToolProgressed", ...progress })))
  )

export interface Change {
  readonly path: string
  readonly change: FileChanged["change"]
  readonly oldPath?: string
  readonly size: number
  readonly diff?: FileDiff
}

/** Reports a file that the call has changed. */
export const fileChanged = (call: ToolCall, change: Change): Effect.Effect<void> =>
  Effect.suspend(() => call.sink.emit(made(FileChanged, said(call, readChange, { _tag: "FileChanged", ...change }))))
