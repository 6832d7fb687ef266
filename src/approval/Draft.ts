import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import type { Preview } from "../tool/Preview.ts"
import type { ToolCall } from "../tool/ToolCall.ts"
import type { DeskState } from "./DeskState.ts"
import { ApprovalUnshowable } from "./ApprovalError.ts"
import { digest } from "./Digest.ts"
import { type Grantable, grantable, rehashed } from "./Grantable.ts"
import { requestOf, type Unmasked } from "./requestOf.ts"
import type { Subject } from "./Subject.ts"

/** What would be asked about a call. */
export interface Draft {
  readonly request: ApprovalRequest
  readonly grantable: Grantable
  readonly preview: Preview | undefined
  /** What the request masks; absent where it masks nothing. */
  readonly unmasked: Unmasked | undefined
  /** Whether the digest of the request still is that of the call and of what it would touch. */
  readonly stillHolds: Effect.Effect<boolean>
}

/** The request for a call, bound to what is there now. */
export const draft = (
  { always, files, ids, redactor, timeoutMillis }: DeskState,
  call: ToolCall,
  subject: Subject,
  preview: Effect.Effect<Preview | undefined>
): Effect.Effect<Draft, ApprovalUnshowable> =>
  Effect.gen(function* () {
    const shown = yield* preview
    const could = yield* grantable(call, subject, files)
    const targets = shown?.targets ?? []
    const bound = digest(call, [...targets, ...(could.basis ?? [])])
    const targetsNow =
      call.tool.readOnly || targets.length === 0
        ? Effect.succeed(targets)
        : Effect.map(preview, (again) => again?.targets ?? [])
    const basisNow = could.basis === undefined ? Effect.succeed(undefined) : rehashed(files.hash, could.basis)
    const made = requestOf({
      id: yield* ids.next("approval"),
      call,
      digest: bound,
      preview: shown,
      grantable: could,
      always,
      requestedAt: yield* Clock.currentTimeMillis,
      timeoutMillis,
      redactor
    })
    if (Either.isLeft(made)) {
      return yield* new ApprovalUnshowable({ tool: call.name, callId: call.callId, why: made.left })
    }
    const request = made.right
    return {
      request,
      unmasked:
        request.masked === undefined
          ? undefined
          : { arguments: call.rawParams, ...(shown === undefined ? {} : { preview: shown }) },
      grantable: could,
      preview: shown,
      stillHolds: Effect.zipWith(
        targetsNow,
        basisNow,
        (shownNow, basis) => digest(call, [...shownNow, ...(basis ?? [])]) === bound
      )
    }
  })
