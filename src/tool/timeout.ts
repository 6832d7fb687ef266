import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { deadline } from "../middleware/deadline.ts"
import type { Middleware } from "../middleware/Middleware.ts"
import { unsafeMonotonicMillis } from "../system/monotonic.ts"
import { named } from "../middleware/Step.ts"
import type * as Tool from "./Tool.ts"
import { heard, type ToolCall } from "./ToolCall.ts"
import { ToolStragglerEnded, trusted } from "./ToolEvent.ts"
import { duration } from "../text/duration.ts"
import { ownValue } from "../text/ownValue.ts"

/** An attempt took longer than it may, in all or in silence. */
export class ToolTimedOut extends Schema.TaggedError<ToolTimedOut>()("ToolTimedOut", {
  tool: Schema.String,
  which: Schema.Literal("limit", "idle"),
  afterMillis: Schema.Number,
  /** It was told to stop and had not ended yet. */
  stillRuns: Schema.optionalWith(Schema.Boolean, { exact: true })
}) {
  readonly retryable = true
  override get message() {
    const after = duration(this.afterMillis)
    const what = this.which === "limit" ? `did not finish within ${after}` : `was silent for ${after}`
    const how = this.stillRuns === true ? "; it was told to stop, and may still be running" : " and was interrupted"
    return `${this.tool} ${what}${how}`
  }
}

/** The deadlines of one attempt; a duration of zero is no deadline. */
export interface Timeouts {
  readonly limit?: Duration.Duration
  readonly idle?: Duration.Duration
}

const effective = (duration: Duration.Duration | undefined): Duration.Duration | undefined =>
  duration === undefined || Duration.toMillis(duration) <= 0 || !Duration.isFinite(duration) ? undefined : duration

/** The timeouts of tools that say nothing themselves, and the user's word for single tools, which wins over theirs. */
export interface TimeoutDefaults extends Timeouts {
  readonly tools?: Readonly<Record<string, Timeouts>>
}

/** What holds for a tool: the user's word for it, else its own, else the default; `0` disables. */
export const timeoutsOf = (tool: Tool.Any, defaults: TimeoutDefaults): Timeouts => {
  const chosen = ownValue(defaults.tools ?? {}, tool.name)
  const limit = effective(chosen?.limit ?? tool.timeout ?? defaults.limit)
  const idle = effective(chosen?.idle ?? tool.idleTimeout ?? defaults.idle)
  return { ...(limit && { limit }), ...(idle && { idle }) }
}

const describe = ({ idle, limit }: Timeouts): string =>
  [
    ...(limit === undefined ? [] : [`${duration(Duration.toMillis(limit))} per attempt`]),
    ...(idle === undefined ? [] : [`${duration(Duration.toMillis(idle))} of silence`])
  ].join(", ")

/** Gives every attempt its own deadlines; any output or progress resets the idle one. */
export const timeout = (timeouts: Timeouts): Middleware<ToolCall, { fails: ToolTimedOut }> => {
  const { idle, limit } = timeouts
  const around: Middleware<ToolCall, { fails: ToolTimedOut }> = (call, next) => {
    const onTimeout = (which: "limit" | "idle", after: Duration.Duration, stillRuns: boolean) =>
      new ToolTimedOut({
        tool: call.name,
        which,
        afterMillis: Duration.toMillis(after),
        ...(stillRuns && { stillRuns })
      })
    const onStraggler = Effect.suspend(() =>
      call.sink.emit(new ToolStragglerEnded({ callId: call.callId, tool: call.name }, trusted))
    )
    const absolute = { ...(limit && { limit }), onTimeout, onStraggler }
    if (idle === undefined) return deadline(next(call), absolute)
    return Effect.flatMap(Effect.clock, (clock) => {
      let last = unsafeMonotonicMillis(clock)
      const touch = (): undefined => {
        last = unsafeMonotonicMillis(clock)
      }
      const effect = next({ ...call, sink: heard(call.sink, touch) })
      return deadline(effect, { ...absolute, idle: { after: idle, lastActivity: () => last } })
    })
  }
  return named("timeout", describe(timeouts), around)
}
