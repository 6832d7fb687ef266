import * as Schema from "effect/Schema"
import { type Envelope, toLine } from "../runtime/Envelope.ts"
import { memo } from "../system/memo.ts"
import { visibleJson } from "../text/visible.ts"
import { SessionDetail } from "./SessionInfo.ts"

/**
 * What a stream carries, over SSE and WebSocket alike. Only durable events have an id, which is the number to resume after;
 * `data` is JSON without a line break.
 */
export interface Frame {
  readonly event: "snapshot" | "message" | "delta" | "approvals"
  readonly id?: number
  readonly data: string
}

const encodeDetail = Schema.encodeSync(SessionDetail)

/** The state of a session as its stream begins; the events of the stream follow it, or lead up to it. */
export const snapshotOf = (detail: SessionDetail, partial: ReadonlyArray<Envelope>): Frame => ({
  event: "snapshot",
  data: visibleJson(JSON.stringify({ ...encodeDetail(detail), partial }))
})

/** Lines of envelopes that many readers are given as they happen, each made once. */
const lineOf = memo(new WeakMap<Envelope, string>(), toLine)

const framed =
  (line: (envelope: Envelope) => string) =>
  (envelope: Envelope): Frame =>
    envelope.transient === true
      ? { event: "delta", data: toLine(envelope) }
      : { event: "message", id: envelope.seq, data: line(envelope) }

/** A durable event under its own number, or a delta without one. */
export const frameOf = framed(lineOf)

/** The same of an event that was read for one reader. */
export const ownFrameOf = framed(toLine)

/** A durable event under its number among those of all sessions. */
export const feedFrameOf = (id: number, envelope: Envelope): Frame => ({
  event: "message",
  id,
  data: lineOf(envelope)
})

/** A frame as Server-Sent Events have it; `message` is what a reader takes for granted. */
export const toSse = ({ data, event, id }: Frame): string =>
  `${event === "message" ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}data: ${data}\n\n`

/** A frame as one text message of a WebSocket, which says whose stream it is of: a session, or `*` for all. */
export const toMessage = (watch: string, { data, event, id }: Frame): string =>
  `{"watch":${JSON.stringify(watch)},"event":"${event}"${id === undefined ? "" : `,"id":${id}`},"data":${data}}`
