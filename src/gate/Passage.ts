import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { afterwards } from "../middleware/afterwards.ts"
import { silent, type ToolCall, type ToolSink } from "../tool/ToolCall.ts"
import type { CallSink } from "./CallRequest.ts"
import type { Gate } from "./Gate.ts"
import type { Refused } from "./GateError.ts"
import { forGate } from "./GateSink.ts"

/** What a decision says of a call besides yes. */
export type Told = Partial<Pick<ToolCall, "confined" | "decided" | "preview" | "ruled" | "withheld" | "withheldFrom">>

/** A call that may run with exactly these parameters. */
export interface Cleared {
  /** The raw parameters as they came to the decision; what runs is `rawParams`, a copy that nothing else refers to. */
  readonly given: unknown
  readonly rawParams: unknown
  readonly params: unknown
  readonly told: Told | undefined
  /** Whether what was shown is still so, where time may pass between the decision and the handler. */
  readonly stillHolds: Effect.Effect<boolean> | undefined
  /** Who approved it before its turn. */
  readonly approvedBy?: string
}

const Key = Symbol.for("tollgate/gate/Passage")

/**
 * What the gate knows of one logical call. It travels on the call, so every copy that a middleware makes shares it: one
 * decision for the same parameters, one `ToolCallStarted`, one run of a tool that is not repeatable.
 */
export class Passage {
  readonly gate: Gate
  /** The call as it was made. */
  private readonly made: ToolCall | undefined
  /** The sink that its stack was given. */
  given: CallSink | undefined
  /** The last parameters that were decoded. */
  decoded: { readonly rawParams: unknown; readonly params: unknown } | undefined
  cleared: Cleared | undefined
  /** The JSON text of what was asked for, which nothing can change any more. */
  asked: string | undefined
  /** A person has put other parameters in place of the given ones. */
  edited = false
  /** What the handler was entered with, where that is not what was asked for. */
  changed: unknown
  refused: { readonly rawParams: unknown; readonly why: Refused } | undefined
  /** Entries into the handler. */
  runs = 0
  /** `ToolCallStarted` is out. */
  started = false
  /** The raw parameters that it told of. */
  begun: unknown
  /** The call that the handler was entered with last, so that something may have happened. */
  entered: ToolCall | undefined
  /** The call has its end: nothing begins any more. */
  ended = false
  /** Something runs alone. */
  busy = false
  private over: Deferred.Deferred<void> | undefined

  constructor(gate: Gate, made?: ToolCall) {
    this.gate = gate
    this.made = made
  }

  /** What the gate tells by and what vouches for the call, whatever a middleware has put in their place. */
  own({ metadata: said, sink: listening }: ToolCall): {
    readonly metadata: ToolCall["metadata"]
    readonly sink: ToolSink
  } {
    const { metadata = said, sink = silent } = this.made ?? {}
    return { metadata, sink: listening === this.given || listening === sink ? sink : forGate(sink, listening) }
  }

  /** Whether a call still has the tool, session, task and worker that it was made with. */
  isOf({ callId, name, sessionId, taskId, tool, workerPath }: ToolCall): boolean {
    const { made } = this
    return (
      made !== undefined &&
      made.tool === tool &&
      made.name === name &&
      made.callId === callId &&
      made.sessionId === sessionId &&
      made.taskId === taskId &&
      made.workerPath === workerPath
    )
  }

  /**
   * One at a time, so that one call asks once. A semaphore would suspend the fiber even where it is free, which costs
   * the deadline a timer.
   */
  alone<A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.uninterruptibleMask((restore) => {
      if (this.busy) {
        this.over ??= Deferred.unsafeMake(FiberId.none)
        return restore(Effect.zipRight(Deferred.await(this.over), this.alone(self)))
      }
      this.busy = true
      return afterwards(restore(self), () => {
        const { over } = this
        this.busy = false
        this.over = undefined
        if (over !== undefined) Deferred.unsafeDone(over, Effect.void)
      })
    })
  }

  static of(call: ToolCall): Passage | undefined {
    const found: unknown = Reflect.get(call, Key)
    return found instanceof Passage ? found : undefined
  }

  /** A call with a passage of its own. */
  static on<Call extends ToolCall>(gate: Gate, made: Call): { readonly call: Call; readonly passage: Passage } {
    const passage = new Passage(gate, made)
    return { call: Object.assign(made, { [Key]: passage }), passage }
  }
}
