import { hasMark } from "../redaction/Mark.ts"
import type { ApprovalRequest } from "../tool/ApprovalRequest.ts"
import { callKey } from "../tool/CallPlace.ts"
import type { Envelope, Place } from "./Envelope.ts"
import { callsOf, manual } from "./wantedCalls.ts"

/** Why a call, or its request, cannot go on whose secret the log does not have. */
export const notKept = "Its parameters hold a secret, which is not kept over a restart."

/** The calls whose parameters hold a secret, by their keys: the log has what stands for it, which must never run in its place. */
export const unkeptIn = (
  events: ReadonlyArray<Envelope>,
  open: ReadonlyMap<string, { readonly request: ApprovalRequest; readonly place: Place }>
): ReadonlySet<string> =>
  new Set([
    ...events.flatMap((envelope) => {
      const { event } = envelope
      const calls = event._tag === "ModelAnswered" ? callsOf(event) : manual([envelope])
      return calls.filter((call) => hasMark(call.function.arguments)).map(({ id }) => callKey(envelope, id))
    }),
    ...[...open.values()].flatMap(({ place, request: { callId, masked } }) =>
      masked === undefined ? [] : [callKey(place, callId)]
    )
  ])
