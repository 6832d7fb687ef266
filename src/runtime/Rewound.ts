import type { Envelope } from "./Envelope.ts"

/** Events that no longer count, because the session was rewound: from the first up to the one that says so. */
export interface Rewound {
  readonly from: number
  /** Exclusive. */
  readonly until: number
}

/** What some events take back. */
export const rewoundBy = (events: ReadonlyArray<Envelope>): ReadonlyArray<Rewound> =>
  events.flatMap(({ event, seq }) => (event._tag === "SessionRewound" ? [{ from: event.to, until: seq }] : []))

/** Whether the event of that number no longer counts. */
export const isRewound = (rewound: ReadonlyArray<Rewound>, seq: number): boolean =>
  rewound.some(({ from, until }) => seq >= from && seq < until)
