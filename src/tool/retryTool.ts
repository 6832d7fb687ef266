import * as Duration from "effect/Duration"
import type { Middleware } from "../middleware/Middleware.ts"
import { reasonOf, retry, type RetriesExhausted, type RetryPolicy } from "../middleware/retry.ts"
import type { RepeatableCall } from "./Tool.ts"
import { ToolCallRetried, trusted } from "./ToolEvent.ts"

/** `retry` for tools that are read-only or idempotent; every further attempt is an event. */
export const retryTool = (policy: RetryPolicy): Middleware<RepeatableCall, { fails: RetriesExhausted }> =>
  retry<RepeatableCall>(policy, (call, { attempt, delay, error }) =>
    call.sink.emit(
      new ToolCallRetried(
        {
          callId: call.callId,
          tool: call.name,
          attempt,
          delayMillis: Duration.toMillis(delay),
          reason: reasonOf(error)
        },
        trusted
      )
    )
  )
