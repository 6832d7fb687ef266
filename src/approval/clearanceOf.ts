import * as Effect from "effect/Effect"
import type { ToolCall } from "../tool/ToolCall.ts"
import { ApprovalDenied, ApprovalExpired, type ApprovalRefused } from "./ApprovalError.ts"
import type { Clearance, Resolution } from "./Decision.ts"
import type { Draft } from "./Request.ts"

/** What the end of a request means for its call. */
export const clearanceOf = (
  { callId, name: tool }: ToolCall,
  { preview, stillHolds }: Draft,
  { by, edited, outcome, reason, stop = false }: Resolution,
  timeoutMillis: number
): Effect.Effect<Clearance, ApprovalRefused> => {
  if (edited !== undefined) return Effect.succeed({ preview: undefined, stillHolds: undefined, edited })
  switch (outcome) {
    case "granted":
      return Effect.succeed({ preview, stillHolds })
    case "expired":
      return new ApprovalExpired({ tool, callId, afterMillis: timeoutMillis })
    case "denied":
    case "withdrawn":
      return new ApprovalDenied({ tool, callId, stop, by, ...(reason === undefined ? {} : { reason }) })
  }
}
