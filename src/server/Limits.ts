import * as Context from "effect/Context"
import * as Duration from "effect/Duration"

/** What a server takes at most. */
export interface ServerLimits {
  /** Bytes of a request's body. */
  readonly body: number
  /** Bytes of the body of a prompt, which may have images. */
  readonly promptBody: number
  /** Bytes of the body of an import. */
  readonly importBody: number
  /** Requests of one caller in a second, and twice as many at once. */
  readonly requestsPerSecond: number
  /** Tokens that do not count which one address may try in a minute. */
  readonly failuresPerMinute: number
  /** Streams and sockets that are open at a time. */
  readonly streams: number
  /** How long a reader may take nothing before its stream is closed. */
  readonly stall: Duration.Duration
  /** How often a quiet stream says that it is there. */
  readonly heartbeat: Duration.Duration
}

/** The limits of a server; these if nothing else is said. */
export class Limits extends Context.Reference<Limits>()("tollgate/server/Limits", {
  defaultValue: (): ServerLimits => ({
    body: 1024 * 1024,
    promptBody: 16 * 1024 * 1024,
    importBody: 64 * 1024 * 1024,
    requestsPerSecond: 200,
    failuresPerMinute: 30,
    streams: 512,
    stall: Duration.seconds(20),
    heartbeat: Duration.seconds(15)
  })
}) {}
